# Writes what `codex exec --json` of Codex 0.169 writes, in the forms that were seen of it and are documented.
import json, os, sys

folder = os.environ["DOUBLE_FOLDER"]
arguments = sys.argv[1:]
with open(os.path.join(folder, "arguments"), "a") as file:
    file.write(" ".join(arguments) + "\n")
prompt = sys.stdin.read()
with open(os.path.join(folder, "prompts"), "a") as file:
    file.write(json.dumps(prompt) + "\n")


def say(event):
    print(json.dumps(event), flush=True)


thread = "01a2140f-2a91-79b3-af87-1ae027136622"
if "resume" in arguments:
    thread = arguments[arguments.index("resume") + 1]
    if thread == "session-lost":
        print("Error: thread/resume: thread/resume failed: no rollout found for thread id", file=sys.stderr)
        sys.exit(1)
say({"type": "thread.started", "thread_id": thread})
say({"type": "turn.started"})
if "fail" in prompt:
    say({"type": "error", "message": "stream disconnected, retrying 1/5"})
    say({"type": "turn.failed", "error": {"message": "quota exceeded"}})
    sys.exit(1)
item = {"id": "item_0", "type": "command_execution", "command": "bash -lc 'make test'", "aggregated_output": "", "exit_code": None, "status": "in_progress"}
say({"type": "item.started", "item": item})
say({"type": "item.completed", "item": {**item, "exit_code": 0, "status": "completed"}})
say({"type": "item.completed", "item": {"id": "item_1", "type": "file_change", "changes": [{"path": "a.txt", "kind": "update"}], "status": "completed"}})
say({"type": "item.completed", "item": {"id": "item_2", "type": "agent_message", "text": "All done."}})
say({"type": "turn.completed", "usage": {"input_tokens": 24, "cached_input_tokens": 0, "output_tokens": 10, "reasoning_output_tokens": 0}})
