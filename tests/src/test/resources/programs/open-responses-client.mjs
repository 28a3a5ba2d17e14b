// What the AI SDK's client of Open Responses makes of the server; the answers go to the standard output as JSON.
import {createOpenResponses} from '@ai-sdk/open-responses';
import {generateText, isStepCount, jsonSchema, streamText, tool} from 'ai';

globalThis.AI_SDK_LOG_WARNINGS = false;
const holdfast = createOpenResponses({
  name: 'holdfast',
  url: `${process.env.BASE}/responses`,
  apiKey: process.env.TOKEN,
});
const model = holdfast('holdfast');
const reactive = holdfast('reactive');
const order = '!tool get_weather {"city":"Rome"}';
const tools = {
  get_weather: tool({
    description: 'Tells the weather.',
    inputSchema: jsonSchema({type: 'object', properties: {city: {type: 'string'}}}),
    execute: async ({city}) => `sunny in ${city}`,
  }),
};
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

async function refusal(call) {
  try {
    await call();
    return {};
  } catch (e) {
    return {kind: e.name, status: e.statusCode, message: e.message};
  }
}

async function streamed(options) {
  const result = streamText(options);
  const parts = [];
  for await (const part of result.fullStream) parts.push(part);
  return {
    types: parts.map(part => part.type),
    text: await result.text,
    finish: await result.finishReason,
    usage: await result.usage,
  };
}

async function failure() {
  const errors = [];
  const result = streamText({model, prompt: 'fail', maxRetries: 0, onError: ({error}) => errors.push(error.message)});
  for await (const part of result.fullStream) if (part.type === 'finish-step') errors.push(part.finishReason);
  return errors;
}

async function talk() {
  const generated = await generateText({model, prompt: 'generate'});
  const called = await generateText({model: reactive, prompt: order, tools, stopWhen: isStepCount(3)});
  const messages = [
    {role: 'user', content: 'My name is Alice.'},
    {role: 'assistant', content: 'Hello Alice.'},
    {role: 'user', content: 'What is my name?'},
  ];
  const file = {type: 'file', mediaType: 'image/png', data: Buffer.from(png, 'base64')};
  const seen = await generateText({model, messages: [{role: 'user', content: [{type: 'text', text: 'see'}, file]}]});
  return {
    generated: generated.text,
    usage: generated.usage,
    finish: generated.finishReason,
    streamed: await streamed({model, prompt: 'stream'}),
    told: called.text,
    steps: called.steps.map(step => step.finishReason),
    called: await streamed({model: reactive, prompt: order, tools, stopWhen: isStepCount(3)}),
    instructed: (await generateText({model, instructions: 'Be a pirate.', prompt: 'instructed'})).text,
    turns: (await generateText({model, messages})).text,
    seen: seen.text,
    model: await refusal(() => generateText({model: holdfast('gpt-9'), prompt: 'x', maxRetries: 0})),
    choice: await refusal(() =>
      generateText({model: reactive, prompt: 'x', tools, toolChoice: 'required', maxRetries: 0})),
  };
}

const parts = {talk, failure};
console.log(JSON.stringify(await parts[process.argv[2]]()));
process.exit(0);
