// Prints every event of the stream as a line of JSON: sequence, subject, id and the event itself.
// Arguments: the address, and the file with the credentials if there is one.
import { readFileSync } from 'node:fs';
import { connect, credsAuthenticator } from 'nats';

const { username, password, host } = new URL(process.argv[2]);
const connection = await connect({
  servers: host,
  user: username || undefined,
  pass: password || undefined,
  authenticator: process.argv[3] ? credsAuthenticator(readFileSync(process.argv[3])) : undefined,
});
const manager = await connection.jetstreamManager();
const NOT_FOUND = 10059; // a stream that does not exist holds nothing
const stream = await manager.streams.info('HOLDFAST').catch((error) => {
  if (error.api_error?.err_code !== NOT_FOUND) {
    throw error;
  }
});
const state = stream?.state;
if (state?.messages > 0) {
  const consumer = await connection.jetstream().consumers.get('HOLDFAST');
  for await (const message of await consumer.consume({ max_messages: 1000 })) {
    if (message.subject.startsWith('holdfast.')) {
      console.log(
        JSON.stringify({
          seq: message.seq,
          subject: message.subject,
          id: message.headers?.get('Nats-Msg-Id') ?? '',
          event: JSON.parse(message.string()),
        }),
      );
    }
    if (message.seq >= state.last_seq) {
      break;
    }
  }
}
await connection.close();
