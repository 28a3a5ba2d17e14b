// A coding agent that speaks the Agent Client Protocol with the vendor's own library. It does what the words of a prompt
// say, and remembers its sessions in its home, as real ones do.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import * as acp from "@agentclientprotocol/sdk";

const home = join(process.env.HOME, "sessions");
const cancelled = new Set();
mkdirSync(home, { recursive: true });

function load(id) {
  const file = join(home, id + ".json");
  if (!existsSync(file)) {
    throw acp.RequestError.resourceNotFound(id);
  }
  return JSON.parse(readFileSync(file, "utf8"));
}

function save(session) {
  writeFileSync(join(home, session.id + ".json"), JSON.stringify(session));
}

async function publish(client, session, toolCall) {
  await client.notify("session/update", {
    sessionId: session.id,
    update: { sessionUpdate: "tool_call", status: "pending", ...toolCall },
  });
  const answer = await client.request("session/request_permission", {
    sessionId: session.id,
    toolCall: { toolCallId: toolCall.toolCallId },
    options: [
      { optionId: "yes", name: "Allow once", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ],
  });
  return answer.outcome.outcome === "selected" ? answer.outcome.optionId : "cancelled";
}

async function prompt({ params, client }) {
  const session = load(params.sessionId);
  const text = params.prompt.map((block) => block.text).join("");
  session.prompts.push(text);
  save(session);
  appendFileSync(join(session.cwd, "prompts.txt"), session.id + " " + session.prompts.length + "\n");
  const say = (words) =>
    client.notify("session/update", {
      sessionId: session.id,
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } },
    });
  if (text.includes("stall") && !text.includes("cut off")) {
    spawn("setsid", ["sleep", "86555.25"], { stdio: "ignore" });
    spawn("sleep", ["86555.5"], { stdio: "ignore" });
    await sleep(600_000);
  }
  if (text.includes("slowly")) {
    await client.notify("session/update", {
      sessionId: session.id,
      update: { sessionUpdate: "tool_call", toolCallId: "read", title: "Reads notes.txt", kind: "read", status: "in_progress" },
    });
    while (!existsSync(join(session.cwd, "go"))) {
      await sleep(50);
    }
  }
  if (text.includes("publish")) {
    const decision = await publish(client, session, {
      toolCallId: "call-" + session.prompts.length,
      title: "npm publish",
      kind: "execute",
      rawInput: { command: "npm publish --tag next", cwd: session.cwd },
    });
    if (decision === "cancelled" || cancelled.has(session.id)) {
      return { stopReason: "cancelled" };
    }
    appendFileSync(join(session.cwd, "published.txt"), decision + "\n");
  }
  await client.notify("session/update", {
    sessionId: session.id,
    update: { sessionUpdate: "usage_update", used: 1000, size: 200_000, cost: { amount: 0.5 * session.prompts.length, currency: "USD" } },
  });
  await say("Prompt " + session.prompts.length + " of " + session.id + " is done.");
  return { stopReason: "end_turn" };
}

acp
  .agent({ name: "double" })
  .onRequest("initialize", () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentCapabilities: { loadSession: true },
  }))
  .onRequest("session/new", ({ params }) => {
    const session = { id: "s" + Date.now() + "-" + process.pid, cwd: params.cwd, prompts: [] };
    save(session);
    return { sessionId: session.id };
  })
  .onRequest("session/load", async ({ params, client }) => {
    const session = load(params.sessionId);
    for (const text of session.prompts) {
      await client.notify("session/update", {
        sessionId: session.id,
        update: { sessionUpdate: "user_message_chunk", content: { type: "text", text } },
      });
    }
    return {};
  })
  .onRequest("session/prompt", prompt)
  .onNotification("session/cancel", ({ params }) => {
    cancelled.add(params.sessionId);
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
