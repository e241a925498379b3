// The matrix' server, written for the second SDK in TypeScript: over stdio, or over HTTP with `--http PORT`.

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.env.NODE_MODULES, "anywhere.js"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { McpServer, ResourceTemplate, completable, createMcpHandler, inputRequired } = await load("@modelcontextprotocol/server");
const { serveStdio } = await load("@modelcontextprotocol/server/stdio");
const { toNodeHandler } = await load("@modelcontextprotocol/node");
const { z } = await load("zod");

const PAGE = "https://example.com/sign-in?state=1";
const NAME = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const COLOUR = { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] };

let isGrown = false;
let stopped = Promise.resolve();
let notify; // notifies those who listen over HTTP, where each request has another server

const text = (message) => ({ content: [{ type: "text", text: message }] });
const answered = (ctx, key) => ctx.mcpReq.inputResponses?.[key];
const sleep = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
const asking = (inputRequests, requestState) => inputRequired({ inputRequests, requestState });
const form = (message, requestedSchema) => inputRequired.elicit({ message, requestedSchema });

function report(ctx, progress, total, message) {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return Promise.resolve();
  return ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total, message } });
}

function newServer() {
  const server = new McpServer(
    { name: "interop", version: "1.0.0" },
    {
      instructions: "Tools that show every part of the protocol.",
      capabilities: { logging: {}, resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } },
    },
  );
  const tool = (name, description, input, does, output) =>
    server.registerTool(name, { description, inputSchema: z.object(input), outputSchema: output && z.object(output) }, does);
  const grown = () => tool("grown", "Return where it is.", {}, () => text("Here."));

  tool("echo", "Repeat the text.", { text: z.string() }, ({ text: message }) => text(message));
  tool(
    "weigh",
    "Weigh a thing.",
    { item: z.string() },
    ({ item }) => {
      const structuredContent = { item, grams: 100 * item.length };
      return { ...text(JSON.stringify(structuredContent)), structuredContent };
    },
    { item: z.string(), grams: z.number() },
  );
  tool("fail", "Fail.", {}, () => {
    throw new Error("The kettle is empty.");
  });
  tool("show", "Show every kind of content.", {}, () => ({
    content: [
      { type: "text", text: "A text." },
      { type: "image", data: Buffer.from([0x89, 0x50, 0x4e, 0x47]).toString("base64"), mimeType: "image/png" },
      { type: "audio", data: Buffer.from("RIFF").toString("base64"), mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "interop://text", text: "A text.", mimeType: "text/plain" } },
      { type: "resource_link", uri: "interop://text", name: "text" },
    ],
  }));
  tool("steps", "Work in some steps of so many seconds, and report each.", { count: z.number(), seconds: z.number() }, async ({ count, seconds }, ctx) => {
    for (let step = 1; step <= count; step++) {
      await report(ctx, step, count, `step ${step}`);
      if (seconds) await sleep(seconds);
    }
    return text("Done.");
  });
  tool("log_messages", "Log at four levels.", {}, async (_, ctx) => {
    for (const level of ["debug", "info", "warning", "error"]) await ctx.mcpReq.log(level, `at ${level}`);
    return text("Logged.");
  });
  tool("ask_name", "Ask for a name.", {}, (_, ctx) => {
    const answer = answered(ctx, "name");
    if (answer === undefined) return asking({ name: form("What is your name?", NAME) });
    return text(answer.action === "accept" ? `Hello, ${answer.content.name}!` : `No name: ${answer.action}.`);
  });
  tool("ask_twice", "Ask for a name, and then for a colour.", {}, (_, ctx) => {
    const name = answered(ctx, "name");
    const colour = answered(ctx, "colour");
    if (colour !== undefined) return text(`${ctx.mcpReq.requestState()} likes ${colour.content.colour}.`);
    if (name === undefined) return asking({ name: form("What is your name?", NAME) });
    return asking({ colour: form("Which colour do you like?", COLOUR) }, name.content.name);
  });
  tool("visit", "Send the user to a page.", {}, (_, ctx) => {
    const answer = answered(ctx, "visit");
    if (answer === undefined) return asking({ visit: inputRequired.elicitUrl({ message: "Please sign in.", url: PAGE }) });
    return text(`Visited: ${answer.action}.`);
  });
  tool("think", "Ask the model.", { question: z.string() }, ({ question }, ctx) => {
    const answer = answered(ctx, "thought");
    const messages = [{ role: "user", content: { type: "text", text: question } }];
    if (answer === undefined) return asking({ thought: inputRequired.createMessage({ messages, maxTokens: 100 }) });
    return text(answer.content.text);
  });
  tool("folders", "Name the client's folders.", {}, (_, ctx) => {
    const answer = answered(ctx, "folders");
    if (answer === undefined) return asking({ folders: inputRequired.listRoots() });
    return text(answer.roots.map((root) => root.uri).join(", "));
  });
  tool("wait", "Wait until stopped.", {}, async (_, ctx) => {
    stopped = new Promise((stop) => ctx.mcpReq.signal.addEventListener("abort", stop));
    await report(ctx, 1);
    await stopped;
    return text("Never.");
  });
  tool("await_stop", "Return when the tool that waits was stopped.", {}, async () => {
    await stopped;
    return text("Stopped.");
  });
  tool("touch", "Change a resource.", {}, async () => {
    if (notify) notify.resourceUpdated("interop://text");
    else await server.server.sendResourceUpdated({ uri: "interop://text" });
    return text("Touched.");
  });
  tool("grow", "Offer another tool.", {}, () => {
    isGrown = true;
    if (notify) notify.toolsChanged();
    else grown();
    return text("Grown.");
  });
  tool("route", "Return the region of a header.", { region: z.string().meta({ "x-mcp-header": "Region" }) }, ({ region }) => text(`To ${region}.`));
  if (isGrown) grown();

  const named = (mimeType, contents) => [{ mimeType }, (uri) => ({ contents: [{ uri: uri.href, mimeType, ...contents }] })];
  server.registerResource("text", "interop://text", ...named("text/plain", { text: "A text." }));
  const bytes = Buffer.from([0x00, 0x01, 0xfe, 0xff]).toString("base64");
  server.registerResource("bytes", "interop://bytes", ...named("application/octet-stream", { blob: bytes }));
  server.registerResource("note", new ResourceTemplate("interop://notes/{name}", { list: undefined }), { mimeType: "text/plain" }, (uri, { name }) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: `Note ${decodeURIComponent(name)}.` }],
  }));
  for (const method of ["resources/subscribe", "resources/unsubscribe"]) server.server.setRequestHandler(method, () => ({}));

  const languages = (typed) => ["Dansk", "Deutsch", "Suomi"].filter((one) => one.startsWith(typed));
  const argsSchema = z.object({ guest: z.string(), language: completable(z.string(), languages) });
  server.registerPrompt("welcome", { description: "Welcome a guest.", argsSchema }, ({ guest, language }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Welcome ${guest} in ${language}.` } }],
  }));
  return server;
}

if (process.argv[2] === "--http") {
  const handler = createMcpHandler(newServer);
  notify = handler.notify;
  createServer(toNodeHandler(handler)).listen(Number(process.argv[3]), "127.0.0.1");
} else {
  serveStdio(newServer);
}
