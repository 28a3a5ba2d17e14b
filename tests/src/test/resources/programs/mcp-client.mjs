// What the official MCP client makes of the server; the answers go to the standard output as JSON.
import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {StdioClientTransport} from '@modelcontextprotocol/sdk/client/stdio.js';
import {StreamableHTTPClientTransport} from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const http = token =>
  new StreamableHTTPClientTransport(new URL(process.env.MCP), {
    requestInit: {headers: {Authorization: `Bearer ${token}`}},
  });

const pipe = () =>
  new StdioClientTransport({
    command: process.env.JAVA,
    args: ['-jar', process.env.JAR, 'mcp', '--url', process.env.BASE],
    env: {...process.env, HOLDFAST_TOKEN: process.env.TOKEN},
  });

async function talk(transport, use) {
  const client = new Client({name: 'test', version: '1'});
  await client.connect(transport);
  const call = async (name, args = {}) => {
    const result = await client.callTool({name, arguments: args});
    return {failed: result.isError === true, ...result.structuredContent, text: result.content[0].text};
  };
  try {
    return {
      server: client.getServerVersion().name,
      tools: (await client.listTools()).tools.map(tool => tool.name),
      ...(await use(call)),
    };
  } finally {
    await client.close();
  }
}

async function whole(call) {
  const sent = await call('send_message', {text: 'by MCP', thread: 'mcp-thread'});
  let wrong = '';
  try {
    await call('list_approvals', {state: 'sometimes'});
  } catch (e) {
    wrong = e.message;
  }
  return {
    answer: sent.output,
    story: (await call('story', {event: sent.event_id})).state,
    threads: (await call('list_threads', {limit: 5})).threads.map(thread => thread.thread_id),
    said: (await call('read_thread', {thread: 'mcp-thread'})).entries.map(entry => entry.text),
    schedules: (await call('list_schedules')).schedules.length,
    letters: (await call('list_dead_letters', {kind: 'event'})).failed,
    unknown: await call('approve', {approval: 'none'}),
    wrong,
  };
}

async function decided(call) {
  const sent = await call('send_message', {text: '!tool shell {"command": "echo ran"}', thread: 'asks'});
  const [listed] = (await call('list_approvals', {thread: 'asks'})).approvals;
  const approved = await call('approve', {approval: listed.id});
  let story = await call('story', {event: sent.event_id});
  while (story.state !== 'answered') {
    await new Promise(next => setTimeout(next, 50));
    story = await call('story', {event: sent.event_id});
  }
  return {status: sent.status, asked: sent.approvals, listed, approved: approved.state, replies: story.replies};
}

const parts = {
  http: () => talk(http(process.env.TOKEN), whole),
  decided: () => talk(http(process.env.TOKEN), decided),
  pipe: () => talk(pipe(), async call => ({answer: (await call('send_message', {text: 'by pipe'})).output})),
  reader: () => talk(http(process.env.READER), async () => ({})),
};
console.log(JSON.stringify(await parts[process.argv[2]]()));
process.exit(0);
