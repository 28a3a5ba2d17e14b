// Starts the package emulate as Slack, with its events sent to EVENTS_URL: its own command cannot subscribe an address.
import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const folder = dirname(fileURLToPath(import.meta.resolve('emulate')));
const file = readdirSync(folder).find(
    (name) => /^dist-.*\.js$/.test(name) && readFileSync(join(folder, name), 'utf8').includes('slackPlugin'));
const {slackPlugin} = await import(pathToFileURL(join(folder, file)));
const register = slackPlugin.register;
slackPlugin.register = function (app, store, hooks, ...rest) {
  hooks.register({url: process.env.EVENTS_URL, events: ['*'], active: true, owner: 'slack'});
  return register.call(this, app, store, hooks, ...rest);
};
const {createEmulator} = await import('emulate');
const slack = {
  signing_secret: process.env.SIGNING_SECRET,
  channels: [{name: 'general'}],
  users: [{name: 'developer', real_name: 'Dev', email: 'd@e.f'}],
  bots: [{name: 'my-bot'}],
  oauth_apps: [{
    client_id: '1.2', client_secret: 's', app_id: 'A000000001', name: 'My App',
    redirect_uris: ['http://localhost/x'], scopes: ['chat:write'], bot_name: 'my-bot',
  }],
  tokens: [
    {token: 'xoxp-user', user: 'developer'},
    {token: 'xoxb-bot', user: 'my-bot', type: 'bot', app_id: 'A000000001', client_id: '1.2'},
  ],
};
const started = await createEmulator({service: 'slack', port: Number(process.env.PORT), seed: {slack}});
console.log(started.url);
