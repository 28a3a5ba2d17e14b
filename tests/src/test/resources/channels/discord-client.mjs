// The Gateway client of discord.js: says what is written.
import { REST } from '@discordjs/rest';
import { WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';

const say = (what) => process.stdout.write(JSON.stringify(what) + '\n');

const rest = new REST({ api: process.env.API_URL, version: '10' }).setToken(process.env.TOKEN);
const manager = new WebSocketManager({ token: process.env.TOKEN, intents: 4096, rest });
manager.on(WebSocketShardEvents.Error, (error) => console.error(error));
manager.on(WebSocketShardEvents.Dispatch, (event) => {
  if (event.t === 'MESSAGE_CREATE') {
    say(event.d.content);
  }
});
await manager.connect();
