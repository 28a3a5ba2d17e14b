# An agent of the Agent Client Protocol, version 1, as its schema says.
import json, os, sys, time

folder = os.environ["DOUBLE_FOLDER"]
offers = os.environ.get("DOUBLE_OFFERS", "load")


def note(name, text):
    with open(os.path.join(folder, name), "a") as file:
        file.write(text + "\n")


def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def update(session, **what):
    say({"method": "session/update", "params": {"sessionId": session, "update": what}})


def ask(number, method, params):
    say({"id": number, "method": method, "params": params})
    while True:
        message = json.loads(sys.stdin.readline())
        note("messages", json.dumps(message))
        if message.get("id") == number and "method" not in message:
            return message


def prompt(session, text):
    note("prompts", json.dumps(text))
    if "refuse" in text:
        return {"stopReason": "refusal"}
    update(session, sessionUpdate="agent_thought_chunk", content={"type": "text", "text": "hm"})
    update(session, sessionUpdate="agent_message_chunk", content={"type": "text", "text": "First I look."})
    update(session, sessionUpdate="tool_call", toolCallId="c1", title="Read notes.txt", kind="read", status="pending")
    if "files" in text:
        note("refused", json.dumps(ask("f1", "fs/read_text_file", {"sessionId": session, "path": "/etc/passwd"})["error"]))
    if "permission" in text or "allowed" in text or "rejected" in text:
        update(session, sessionUpdate="tool_call", toolCallId="c2", title="npm publish", kind="execute",
               status="pending", rawInput={"command": "npm publish", "cwd": "."})
        wanted = {
            "sessionId": session, "toolCall": {"toolCallId": "c2"},
            "options": [{"optionId": "always", "name": "Always", "kind": "allow_always"},
                        {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                        {"optionId": "no", "name": "No", "kind": "reject_once"}]}
        other = os.path.join(folder, "request.json")
        if os.path.exists(other):
            wanted.update(json.load(open(other)))
        answer = ask("p1", "session/request_permission", wanted)
        outcome = answer["result"]["outcome"]
        note("outcomes", json.dumps(outcome))
        if outcome["outcome"] == "cancelled":
            return {"stopReason": "cancelled"}
    update(session, sessionUpdate="usage_update", used=100, size=1000, cost={"amount": 0.25, "currency": "EUR"})
    update(session, sessionUpdate="agent_message_chunk", content={"type": "text", "text": "All "})
    update(session, sessionUpdate="agent_message_chunk", content={"type": "text", "text": "done."})
    return {"stopReason": "end_turn", "usage": {"totalTokens": 12, "inputTokens": 9, "outputTokens": 3}}


for line in sys.stdin:
    message = json.loads(line)
    note("messages", line.strip())
    method, params = message.get("method"), message.get("params")
    if method == "initialize":
        capabilities = {"loadSession": offers == "load",
                        "sessionCapabilities": {"resume": {}} if offers == "resume" else {}}
        result = {"protocolVersion": 1, "agentCapabilities": capabilities,
                  "authMethods": [] if offers == "keyless" else [{"id": "api-key", "name": "API key"}]}
    elif method == "session/new" and offers in ("login", "keyless"):
        say({"id": message["id"], "error": {"code": -32000, "message": "Authentication required"}})
        continue
    elif method == "session/new":
        result = {"sessionId": "acp-1"}
    elif method in ("session/load", "session/resume"):
        if params["sessionId"] == "session-lost":
            say({"id": message["id"], "error": {"code": -32002, "message": "Resource not found"}})
            continue
        if method == "session/load":
            update(params["sessionId"], sessionUpdate="agent_message_chunk", content={"type": "text", "text": "OLD"})
            update(params["sessionId"], sessionUpdate="tool_call", toolCallId="old", title="OLD", kind="read")
        result = {}
    elif method == "session/prompt":
        result = prompt(params["sessionId"], params["prompt"][0]["text"])
    elif method == "session/cancel":
        continue
    else:
        result = {}
    say({"id": message["id"], "result": result})
