// A client of the TypeScript SDK that executes commands, line by line: `typescript.py` sends them.
//
//   node typescript.mjs VERSION ERA (--url URL | -- COMMAND...)
//
// In comes `{id, do, with}`, or `{answer, result}` for what was asked. Out goes `{id, result}`, `{id, refused: {code,
// message}}` or `{id, failed}`, and unasked `{notified, params}`, `{progress, params}` and `{asked, method, params}`.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [version, era, ...target] = process.argv.slice(2);
const REVISION = "2026-07-28";
const ROOT = "file:///tmp/interop";
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
const METHODS = { tools: "tools/list", resources: "resources/list", resourceTemplates: "resources/templates/list", prompts: "prompts/list" };
const QUESTIONS = ["elicitation/create", "sampling/createMessage", "roots/list"];

const require = createRequire(join(process.env.NODE_MODULES, "anywhere.js"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

const waiting = new Map(); // what was asked and is not answered, by its number
const running = new Map(); // what aborts a call, by the id it came with
let questions = 0;
let level; // of the log messages that are wanted
let listening;
let spoken; // the revision that the SDK gives to its transport
let refused; // the code of the last error, as it came: the second SDK makes another of some

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

function ask(request) {
  if (request.method === "roots/list") return { roots: [{ uri: ROOT }] };
  const asked = ++questions;
  say({ asked, method: request.method, params: request.params });
  return new Promise((answer) => waiting.set(asked, answer));
}

async function connected() {
  const who = { name: "interop", version: "1.0.0" };
  const capabilities = { sampling: {}, roots: {}, elicitation: { form: {}, url: {} } };
  const [command, ...args] = target.slice(1);
  const stdio = { command, args, env: { ...process.env }, stderr: "ignore" };
  const onNotification = (notification) => say({ notified: notification.method, params: notification.params ?? {} });
  let client, transport;
  if (version === "1") {
    const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
    const { StreamableHTTPClientTransport } = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const schemas = await load("@modelcontextprotocol/sdk/types.js");
    client = new Client(who, { capabilities });
    for (const name of ["ElicitRequestSchema", "CreateMessageRequestSchema", "ListRootsRequestSchema"]) {
      client.setRequestHandler(schemas[name], ask);
    }
    client.fallbackNotificationHandler = onNotification;
    transport = target[0] === "--url" ? new StreamableHTTPClientTransport(new URL(target[1])) : new StdioClientTransport(stdio);
  } else {
    const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
    const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");
    const mode = { handshake: "legacy", stateless: { pin: REVISION }, auto: "auto" }[era];
    client = new Client(who, { capabilities, versionNegotiation: { mode } });
    for (const method of QUESTIONS) client.setRequestHandler(method, ask);
    client.fallbackNotificationHandler = onNotification;
    transport = target[0] === "--url" ? new StreamableHTTPClientTransport(new URL(target[1])) : new StdioClientTransport(stdio);
  }
  const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (date) => ((spoken = date), setProtocolVersion?.(date));
  await client.connect(transport);
  const onmessage = transport.onmessage;
  transport.onmessage = (message, ...rest) => ((refused = message.error?.code ?? refused), onmessage(message, ...rest));
  return client;
}

const revision = () => client.getNegotiatedProtocolVersion?.() ?? spoken;
const isStateless = () => revision() === REVISION;

async function list({ kind }) {
  const method = { tools: "listTools", resources: "listResources", resourceTemplates: "listResourceTemplates", prompts: "listPrompts" }[kind];
  let page = await client[method]({}, { cacheMode: "refresh" });
  const entries = [...page[kind]];
  let pages = 1;
  for (; page.nextCursor !== undefined; pages++) {
    page = await client[method]({ cursor: page.nextCursor });
    entries.push(...page[kind]);
  }
  // The second SDK gathers all pages itself; whether there were several is asked besides.
  if (version === "2") pages = (await client.request({ method: METHODS[kind], params: {} })).nextCursor === undefined ? 1 : 2;
  return { entries, pages };
}

async function call({ name, arguments: values, progress }, id) {
  const abort = new AbortController();
  running.set(id, abort);
  const params = { name, arguments: values };
  if (level !== undefined && isStateless()) params._meta = { [LOG_LEVEL]: level };
  const options = { signal: abort.signal };
  if (progress) options.onprogress = (report) => say({ progress: id, params: report });
  try {
    return version === "1" ? await client.callTool(params, undefined, options) : await client.callTool(params, options);
  } finally {
    running.delete(id);
  }
}

async function task({ name, arguments: values }) {
  if (client.experimental?.tasks === undefined) return null;
  const stream = client.experimental.tasks.callToolStream({ name, arguments: values }, undefined, { task: { ttl: 60000 } });
  let isTask = false;
  for await (const message of stream) {
    isTask ||= message.type === "taskCreated";
    if (message.type === "error") throw message.error;
    if (message.type === "result") {
      if (!isTask) throw new Error("The call did not become a task.");
      return message.result;
    }
  }
}

async function listen({ uri }) {
  if (isStateless()) listening = await client.listen(uri ? { resourceSubscriptions: [uri] } : { toolsListChanged: true });
  else if (uri) await client.subscribeResource({ uri });
  return {};
}

async function unlisten({ uri }) {
  if (isStateless()) await listening.close();
  else if (uri) await client.unsubscribeResource({ uri });
  return {};
}

const does = {
  begin: () => ({
    revision: revision(),
    serverInfo: client.getServerVersion() ?? {},
    instructions: client.getInstructions() ?? "",
    capabilities: client.getServerCapabilities() ?? {},
  }),
  list,
  call,
  task,
  listen,
  unlisten,
  cancel: ({ id }) => (running.get(id)?.abort("given up"), {}),
  read: ({ uri }) => client.readResource({ uri }),
  prompt: (params) => client.getPrompt(params),
  complete: (params) => client.complete(params),
  level: async ({ level: wanted }) => {
    level = wanted;
    return isStateless() ? {} : await client.setLoggingLevel(wanted);
  },
};

async function carryOut(line) {
  const command = JSON.parse(line);
  if (command.answer !== undefined) return waiting.get(command.answer)(command.result);
  try {
    say({ id: command.id, result: await does[command.do](command.with, command.id) });
  } catch (error) {
    if (typeof error?.code === "number") say({ id: command.id, refused: { code: refused ?? error.code, message: error.message } });
    else say({ id: command.id, failed: String(error?.stack ?? error).slice(0, 500) });
  }
}

const client = await connected();
const lines = createInterface({ input: process.stdin });
lines.on("line", carryOut);
lines.on("close", async () => {
  await client.close();
  process.exit(0);
});
