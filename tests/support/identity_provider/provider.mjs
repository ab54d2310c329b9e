// A real identity provider, as others wrote it: the certified package `oidc-provider`, of web/node_modules.
// Arguments: a file with its accounts as JSON, which is read anew each time, and the addresses that people may
// come back to. Prints its issuer when it listens.

import { readFileSync } from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [accounts, ...redirectUris] = process.argv.slice(2);
const inWeb = createRequire(new URL("../../../web/package.json", import.meta.url));
const { Provider } = await import(pathToFileURL(inWeb.resolve("oidc-provider")).href);

const server = http.createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "chatd",
        client_secret: "what the client knows",
        redirect_uris: redirectUris,
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    claims: {
      openid: ["sub"],
      profile: ["name", "preferred_username"],
      email: ["email", "email_verified"],
      groups: ["groups"],
    },
    scopes: ["openid", "profile", "email", "groups"],
    pkce: { required: () => true },
    findAccount: (_, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...JSON.parse(readFileSync(accounts, "utf8"))[id] }),
    }),
  });
  server.on("request", provider.callback());
  console.log(issuer);
});
