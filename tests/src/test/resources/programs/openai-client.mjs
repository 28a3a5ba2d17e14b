// What OpenAI's own library makes of the server; the answers go to the standard output as JSON.
import OpenAI from 'openai';

const baseURL = process.env.BASE;
const client = new OpenAI({baseURL, apiKey: process.env.TOKEN, maxRetries: 0});
const user = content => ({role: 'user', content});
const order = '!tool get_weather {"city":"Rome"}';
const weather = {
  name: 'get_weather',
  description: 'Tells the weather.',
  parameters: {type: 'object', properties: {city: {type: 'string'}}},
};

async function all(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

async function refusal(call) {
  try {
    await call();
    return {};
  } catch (e) {
    return {kind: e.constructor.name, status: e.status ?? 0, code: e.code ?? '', param: e.param ?? ''};
  }
}

const words = events => events.map(e => e.choices[0]?.delta?.content ?? '').join('');

async function chat() {
  const chat = client.chat.completions;
  const tools = [{type: 'function', function: weather}];
  const asked = await chat.create({model: 'reactive', tools, messages: [user(order)]});
  const call = asked.choices[0].message;
  const result = {role: 'tool', tool_call_id: call.tool_calls[0].id, content: 'sunny'};
  const told = await chat.create({model: 'reactive', tools, messages: [user(order), call, result]});
  const streamed = await chat
    .stream({model: 'reactive', tools, messages: [user(order)]})
    .finalChatCompletion();
  const usage = {stream: true, stream_options: {include_usage: true}};
  const stateless = await all(await chat.create({model: 'holdfast', ...usage, messages: [user('alone')]}));
  const headers = {'X-OpenWebUI-Chat-Id': 'web-ui-1', 'X-OpenWebUI-User-Name': 'Ann%20Lee'};
  const history = [user('before'), {role: 'assistant', content: 'made up'}, user('of a page')];
  const thread = await all(await chat.create({model: 'holdfast', ...usage, messages: history}, {headers}));
  // What Open WebUI asks for itself: a title by its own prompt, tags by one that somebody changed.
  const title = {model: 'holdfast', stream: false, max_completion_tokens: 1000};
  title.messages = [user('### Task:\nGenerate a concise title\n<chat_history>of a page</chat_history>')];
  const titled = await chat.create(title, {headers});
  const task = {...headers, 'X-OpenWebUI-Task': 'tags_generation'};
  const tagged = await chat.create({model: 'holdfast', stream: false, messages: [user('name it')]}, {headers: task});
  // LibreChat: the agent's conversation by a header of the endpoint's, its title by a level.
  const libre = {'X-Holdfast-Thread': 'libre-1', 'HTTP-Referer': 'https://librechat.ai', 'X-Title': 'LibreChat'};
  const tuned = {user: '65f1', temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0};
  const told2 = {model: 'holdfast', stream: true, ...tuned, messages: [{role: 'system', content: 'be kind'}, user('from libre')]};
  const libreSaid = words(await all(await chat.create(told2, {headers: libre})));
  const libreTitle = await chat.create({model: 'operational', messages: [user('title of libre')]}, {headers: libre});
  return {
    libreTitle: libreTitle.choices[0].message.content,
    titled: titled.choices[0].message.content,
    tagged: tagged.choices[0].message.content,
    libre: libreSaid,
    models: (await client.models.list()).data.map(model => model.id),
    call: call.tool_calls[0].function,
    finish: asked.choices[0].finish_reason,
    told: told.choices[0].message.content,
    streamed: streamed.choices[0].message.tool_calls[0].function.arguments,
    stateless: words(stateless),
    thread: words(thread),
    usage: thread.at(-1).usage,
  };
}

async function responses() {
  const responses = client.responses;
  const first = await responses.create({model: 'holdfast', input: 'first'});
  const second = await responses.create({model: 'holdfast', input: 'second', previous_response_id: first.id});
  const stream = responses.stream({model: 'holdfast', input: 'streamed', conversation: 'talk'});
  const events = await all(stream);
  const id = events[0].response.id;
  const middle = events[5].sequence_number;
  const again = await all(await responses.retrieve(id, {stream: true, starting_after: middle}));
  const tools = [{type: 'function', strict: false, ...weather}];
  const call = await responses.create({model: 'reactive', input: order, tools});
  const output = {type: 'function_call_output', call_id: call.output[0].call_id, output: 'cloudy'};
  const told = await responses.create({model: 'reactive', tools, input: [user(order), ...call.output, output]});
  const later = await responses.create({model: 'holdfast', input: 'later', background: true});
  let done = later;
  while (done.status === 'queued' || done.status === 'in_progress') {
    await new Promise(next => setTimeout(next, 50));
    done = await responses.retrieve(later.id);
  }
  return {
    first: first.output_text,
    second: second.output_text,
    sameThread: first.conversation.id === second.conversation.id,
    kept: (await responses.retrieve(first.id)).output_text,
    numbers: events.map(event => event.sequence_number),
    types: events.map(event => event.type),
    text: (await stream.finalResponse()).output_text,
    again: again.map(event => event.sequence_number),
    rest: events.filter(event => event.sequence_number > middle).map(event => event.sequence_number),
    call: call.output[0],
    stored: call.store,
    told: told.output_text,
    later: done.output_text,
  };
}

async function refusals() {
  const ask = body => client.chat.completions.create({model: 'holdfast', messages: [user('x')], ...body});
  const wrong = new OpenAI({baseURL, apiKey: 'wrong', maxRetries: 0});
  const reader = new OpenAI({baseURL, apiKey: process.env.READER, maxRetries: 0});
  const missing = 'resp_00000000000000000000000000000000';
  return {
    model: await refusal(() => ask({model: 'gpt-9'})),
    messages: await refusal(() => ask({messages: []})),
    n: await refusal(() => ask({n: 2})),
    stream: await refusal(() => ask({stream: 'yes'})),
    temperature: await refusal(() => ask({temperature: 'hot'})),
    tool_choice: await refusal(() => ask({tool_choice: {type: 'function', function: {name: 'other'}}})),
    metadata: await refusal(() => client.responses.create({model: 'holdfast', input: 'x', metadata: {a: 1}})),
    key: await refusal(() => wrong.models.list()),
    scope: await refusal(() => reader.chat.completions.create({model: 'holdfast', messages: [user('x')]})),
    previous: await refusal(() => client.responses.create({model: 'holdfast', input: 'x', previous_response_id: missing})),
    response: await refusal(() => client.responses.retrieve(missing)),
    foreign: await refusal(() => reader.responses.retrieve(process.env.FOREIGN ?? missing)),
  };
}

async function load(count) {
  const answers = await Promise.all(
    Array.from({length: count}, async (_, i) => {
      const headers = {'X-Holdfast-Thread': `load-${i}`};
      const body = {model: 'holdfast', stream: true, messages: [user(`words ${i}`)]};
      return words(await all(await client.chat.completions.create(body, {headers})));
    }));
  return answers.every((answer, i) => answer === `answer to words ${i}`);
}

async function begin() {
  const body = {model: 'holdfast', input: 'to be killed', stream: true, conversation: 'killed'};
  const events = await client.responses.create(body);
  let id;
  for await (const event of events) {
    id ??= event.response.id;
    if (event.type === 'response.output_text.delta') {
      return {id, number: event.sequence_number}; // and hangs up
    }
  }
}

async function resume(id, number) {
  const events = await all(await client.responses.retrieve(id, {stream: true, starting_after: number}));
  return {
    numbers: events.map(event => event.sequence_number),
    deltas: events.filter(event => event.type === 'response.output_text.delta').map(e => e.delta).join(''),
    text: (await client.responses.retrieve(id)).output_text,
  };
}

const codeIn = text => /\/approve (\w+)/.exec(text)?.[1] ?? '';

async function decide() {
  const headers = {'X-Holdfast-Thread': 'asks'};
  const say = async content => {
    const body = {model: 'holdfast', stream: true, messages: [user(content)]};
    return words(await all(await client.chat.completions.create(body, {headers})));
  };
  const question = await say('run it');
  return {question, answer: await say(`/approve ${codeIn(question)}`)};
}

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

async function files() {
  const url = `data:image/png;base64,${png}`;
  const headers = {'X-Holdfast-Thread': 'files', 'Idempotency-Key': 'files-1'};
  const send = async image_url => {
    const content = [{type: 'text', text: 'look'}, {type: 'image_url', image_url}];
    const body = {model: 'holdfast', messages: [user(content)]};
    return (await client.chat.completions.create(body, {headers})).choices[0].message.content;
  };
  const seen = await send({url});
  const again = await send({url});
  const file_data = `data:text/plain;base64,${Buffer.from('a note').toString('base64')}`;
  const content = [
    {type: 'input_text', text: 'read'},
    {type: 'input_image', detail: 'auto', image_url: url},
    {type: 'input_file', filename: 'note.txt', file_data},
  ];
  const read = await client.responses.create({model: 'holdfast', input: [user(content)], conversation: 'files'});
  return {
    seen,
    again,
    read: read.output_text,
    fetched: await refusal(() => send({url: 'http://127.0.0.1/secret.png'})),
    broken: await refusal(() => send({url: 'data:image/png;base64,%%%'})),
    large: await refusal(() => send({url: `data:image/png;base64,${'A'.repeat(4_000_000)}`})),
  };
}

async function ask() {
  const body = {model: 'holdfast', input: 'to be approved'};
  const waits = await client.responses.create(body);
  const stream = await client.responses.create({...body, stream: true, conversation: 'approved'});
  let id;
  for await (const event of stream) {
    id ??= event.response.id;
    if (event.type === 'response.output_text.done') {
      return {waits, id, number: event.sequence_number, text: event.text}; // and hangs up
    }
  }
}

async function asked(id) {
  for await (const event of await client.responses.retrieve(id, {stream: true})) {
    if (event.type === 'response.output_text.done') return {question: event.text};
  }
}

async function look(id) {
  const {status, output_text: text} = await client.responses.retrieve(id);
  return {status, text};
}

const parts = {
  decide,
  files,
  ask,
  asked: () => asked(process.argv[3]),
  look: () => look(process.argv[3]),
  talk: async () => ({chat: await chat(), responses: await responses(), refusals: await refusals()}),
  load: () => load(Number(process.argv[3])),
  begin,
  resume: () => resume(process.argv[3], Number(process.argv[4])),
};
console.log(JSON.stringify(await parts[process.argv[2]]()));
process.exit(0);
