// The client of the TypeScript SDK v1: lists, calls, meets an error, an unknown tool and a 401; prints what it saw.
import { createRequire } from "node:module";

const [place, url, bearer, good, bad] = process.argv.slice(2);
const require = createRequire(place + "/");
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");

async function connected(token) {
  const client = new Client({ name: "e2e-v1", version: "1" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
  await client.connect(transport);
  return { client, transport };
}

async function failing(work) {
  try {
    await work();
    return null;
  } catch (error) {
    return { name: error.constructor.name, code: error.code ?? null, message: String(error.message) };
  }
}

const { client, transport } = await connected(bearer);
const seen = {
  version: transport.protocolVersion,
  session: transport.sessionId ?? null,
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
