// Slack's own libraries: judges requests, and listens on a socket.
import { createInterface } from 'node:readline';
import { isValidSlackRequest } from '@slack/bolt';
import { SocketModeClient, LogLevel } from '@slack/socket-mode';

const say = (what) => process.stdout.write(JSON.stringify(what) + '\n');

if (process.argv[2] === 'verify') {
  // One request in each line: the answer is whether it is Slack's.
  for await (const line of createInterface({ input: process.stdin })) {
    const { secret, body, timestamp, signature } = JSON.parse(line);
    let isValid = false;
    try {
      isValid = isValidSlackRequest({
        signingSecret: secret,
        body,
        headers: { 'x-slack-signature': signature, 'x-slack-request-timestamp': Number(timestamp) },
      });
    } catch {
      // no request of Slack's
    }
    say(isValid);
  }
} else {
  const client = new SocketModeClient({
    appToken: process.env.APP_TOKEN,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: process.env.API_URL },
  });
  client.on('message', async ({ event, ack }) => {
    await ack();
    say(event.text);
  });
  await client.start();
}
