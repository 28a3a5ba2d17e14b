// A person with Matrix's own client library: writes TEXT in ROOM, and prints what the bot has written there as the person
// reads it, a line of JSON for each change.
import * as sdk from 'matrix-js-sdk';

const {HOMESERVER, TOKEN, PERSON, BOT, ROOM, TEXT} = process.env;
const quiet = {trace() {}, debug() {}, info() {}, warn() {}, error() {}, getChild: () => quiet};
const client = sdk.createClient({baseUrl: HOMESERVER, accessToken: TOKEN, userId: PERSON, logger: quiet});

function show(event) {
  const {body, formatted_body: html, 'm.mentions': mentions} = event.getContent();
  const isEdit = event.isRelation('m.replace');
  if (event.getSender() === BOT && event.getType() === 'm.room.message' && !isEdit) {
    const edited = event.replacingEventId() ?? '';
    console.log(JSON.stringify({id: event.getId(), body, html, edited, mentions}));
  }
}

client.on(sdk.RoomEvent.Timeline, (event) => {
  show(event);
  event.on(sdk.MatrixEventEvent.Replaced, show);
});
client.once(sdk.ClientEvent.Sync, async (state) => {
  console.log(JSON.stringify({state}));
  await client.sendTextMessage(ROOM, TEXT);
});
await client.startClient({initialSyncLimit: 20});
