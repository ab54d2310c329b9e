// What the search shows first. Decisions, proofs and the changelog speak of everything, and somebody who looks for
// them finds them in the table of contents. The numbers of the rest are Sphinx's own.
const ASIDE = /^(decisions|traceability)\/|^(changelog|architecture|benches)$/;

var Scorer = {
  score: ([name, , , , score]) => (ASIDE.test(name) ? score - 100 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
