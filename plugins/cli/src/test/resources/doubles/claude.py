# Writes what Claude Code 2.1 writes with --output-format stream-json, in the forms that were seen of it.
import json, os, subprocess, sys, time

folder = os.environ["DOUBLE_FOLDER"]
arguments = sys.argv[1:]


def note(name, text):
    with open(os.path.join(folder, name), "a") as file:
        file.write(text + "\n")


def say(message):
    print(json.dumps(message), flush=True)


note("arguments", " ".join(arguments))
session = "session-1"
if "--resume" in arguments:
    session = arguments[arguments.index("--resume") + 1]
    if session == "session-lost":
        lost = "No conversation found with session ID: " + session
        say({"type": "result", "subtype": "error_during_execution", "is_error": True, "num_turns": 0, "session_id": session,
             "total_cost_usd": 0, "usage": {"input_tokens": 0, "output_tokens": 0}, "errors": [lost]})
        print(lost, file=sys.stderr)
        sys.exit(1)
prompt = json.loads(sys.stdin.readline())["message"]["content"]
note("prompts", json.dumps(prompt))
say({"type": "system", "subtype": "init", "session_id": session, "tools": ["Bash"], "permissionMode": "default"})
say({"type": "assistant", "session_id": session, "message": {"role": "assistant", "content": [{"type": "text", "text": "I look at it."}]}})


def result(**more):
    say({"type": "result", "session_id": session, "is_error": False, "num_turns": 2, "total_cost_usd": 0.0125,
         "usage": {"input_tokens": 11, "cache_creation_input_tokens": 2, "cache_read_input_tokens": 3, "output_tokens": 7},
         "permission_denials": [], **more})


if "stall" in prompt:
    subprocess.Popen(["sleep", "86333.25"])
    time.sleep(600)
if "die" in prompt and "permission" not in prompt or "allowed" in prompt and os.path.exists(os.path.join(folder, "dies")):
    print("it broke", file=sys.stderr)
    sys.exit(3)
if "overloaded" in prompt:
    result(subtype="success", is_error=True, result="API Error: 529 Overloaded")
    sys.exit(1)
if "too long" in prompt:
    result(subtype="error_max_turns", is_error=True)
    sys.exit(1)
for command in ["npm test", "npm publish"] if "publish" in prompt or "allowed" in prompt or "rejected" in prompt else ["npm test"] if "permission" in prompt else []:
    use = {"command": command, "description": "Run it"}
    say({"type": "assistant", "session_id": session, "message": {"role": "assistant", "content": [
        {"type": "tool_use", "id": "toolu_" + command, "name": "Bash", "input": use}]}})
    say({"type": "control_request", "request_id": "r-" + command, "request": {
        "subtype": "can_use_tool", "tool_name": "Bash", "display_name": "Bash", "input": use,
        "permission_suggestions": [], "tool_use_id": "toolu_" + command}})
    answer = json.loads(sys.stdin.readline())
    note("answers", json.dumps(answer))
    decision = answer["response"]["response"]
    if decision["behavior"] == "allow":
        note("ran", decision["updatedInput"]["command"])
    elif decision["interrupt"]:
        if "deaf" in prompt:
            time.sleep(600)
        if "dies later" in prompt:
            note("dies", "")
        result(subtype="error_during_execution", is_error=True, terminal_reason="aborted_tools",
               permission_denials=[{"tool_name": "Bash", "tool_input": use}])
        sys.exit(1)
result(subtype="success", result="All done: grüße.")
