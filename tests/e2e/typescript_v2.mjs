// The client of the TypeScript SDK v2, in the era it is told: lists, calls, meets an error and a 401; prints it.
import { createRequire } from "node:module";

const [place, url, bearer, good, bad, mode] = process.argv.slice(2);
const require = createRequire(place + "/");
const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");

async function connected(token) {
  const negotiation = mode === "stateless" ? { pin: "2026-07-28" } : mode;
  const client = new Client({ name: "e2e-v2", version: "1" }, { versionNegotiation: { mode: negotiation } });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

async function failing(work) {
  try {
    await work();
    return null;
  } catch (error) {
    return { name: error.constructor.name, code: error.code ?? null, message: String(error.message) };
  }
}

const client = await connected(bearer);
const seen = {
  era: client.getProtocolEra(),
  server: client.getServerVersion(),
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  called: await client.callTool({ name: good, arguments: { words: "Grüße, 世界 \u{1F30D}" } }),
  failed: await client.callTool({ name: bad, arguments: {} }),
  unknown: await failing(() => client.callTool({ name: "no_such_tool", arguments: {} })),
  resources: (await client.listResources()).resources,
  refused: await failing(() => connected("wrong")),
};
await client.close();
console.log(JSON.stringify(seen));
