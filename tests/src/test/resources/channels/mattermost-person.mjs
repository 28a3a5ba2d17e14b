// A person with Mattermost's own client: says what comes on standard input, tells what the client hears.
import {createInterface} from 'node:readline';
import mattermost from '@mattermost/client';

const {Client4, WebSocketClient} = mattermost;
const {URL_OF_SERVER: url, TOKEN: token, CHANNEL: channel} = process.env;
const log = console.log;
console.log = () => {}; // the client talks a lot
const tell = (what) => log(JSON.stringify(what));

const client = new Client4();
client.setUrl(url);
client.setToken(token);

const socket = new WebSocketClient({
  minWebSocketRetryTime: 500,
  reconnectJitterRange: 100,
  // Only who says in the handshake who it is can go on with a connection.
  newWebSocketFn: (address) => new WebSocket(address, {headers: {authorization: `Bearer ${token}`}}),
});
socket.addMissedMessageListener(() => tell({event: 'missed'}));
socket.addMessageListener(({event, data}) => {
  const post = data.post ? JSON.parse(data.post) : {};
  tell({event, user: post.user_id, message: post.message, root: post.root_id});
});
socket.initialize(url.replace('http', 'ws') + client.getUrlVersion() + '/websocket', token);

createInterface({input: process.stdin}).on('line', async (message) => {
  const post = await client.createPost({channel_id: channel, message});
  tell({event: 'created', user: post.user_id, message: post.message, root: post.root_id});
});
