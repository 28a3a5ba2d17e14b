// whatsapp-api-js on one side of the wire: it verifies what the test signs, signs what it would
// verify, and posts as it posts to Meta, but to another address.
import { createHmac } from "node:crypto";
import { pathToFileURL } from "node:url";
import { WhatsAppAPI } from "whatsapp-api-js";
import { Text, Interactive, ActionButtons, Button, Body } from "whatsapp-api-js/messages";

const { TOKEN, APP_SECRET, VERIFY_TOKEN, NUMBER, META, WEBHOOK, LIBRARY, RAW, SIGNATURE } =
  process.env;
const { escapeUnicode } = await import(pathToFileURL(LIBRARY + "/lib/utils.js").href);

const api = new WhatsAppAPI({
  token: TOKEN,
  appSecret: APP_SECRET,
  webhookVerifyToken: VERIFY_TOKEN,
  v: "v24.0",
  ponyfill: {
    fetch: (url, options) =>
      fetch(String(url).replace("https://graph.facebook.com", META), options),
  },
});
const said = {};

// It verifies what the test has signed.
api.on.message = ({ message, recipient, phoneID }) => {
  said.read = { text: message.text.body, bsuid: recipient.bsuid, phoneID };
};
await api.post(JSON.parse(RAW), RAW, SIGNATURE);
said.refusesAnother = await api
  .post(JSON.parse(RAW), RAW + " ", SIGNATURE)
  .then(() => false, () => true);

// What it would verify is taken: the body as Meta sends it, and the signature of the same bytes.
const message = JSON.parse(RAW);
message.entry[0].changes[0].value.messages[0].id = "wamid.library";
message.entry[0].changes[0].value.messages[0].text.body = "naïve 😀 /x";
const raw = escapeUnicode(JSON.stringify(message));
const signature = "sha256=" + createHmac("sha256", APP_SECRET).update(raw).digest("hex");
said.verifies = await api.verifyRequestSignature(raw, signature);
const answer = await fetch(WEBHOOK, {
  method: "POST",
  headers: { "content-type": "application/json", "x-hub-signature-256": signature },
  body: raw,
});
said.taken = answer.status;

// Its handshake is the server's.
const query = {
  "hub.mode": "subscribe",
  "hub.verify_token": VERIFY_TOKEN,
  "hub.challenge": "1158201444",
};
said.challenge = api.get(query);
said.theirs = await (await fetch(WEBHOOK + "?" + new URLSearchParams(query))).text();

// It posts what it posts to Meta.
const person = { bsuid: "US.4711" };
said.text = await api.sendMessage(NUMBER, person, new Text("hello", false), "wamid.q");
said.buttons = await api.sendMessage(
  NUMBER,
  { phone: "4915100000000" },
  new Interactive(
    new ActionButtons(new Button("token-1", "Approve"), new Button("token-2", "Deny")),
    new Body("May I?"),
  ),
);
said.read_receipt = await api.markAsRead(NUMBER, "wamid.q", "text");
const media = await api.retrieveMedia("4490709327384033", NUMBER);
said.media = await (await api.fetchMedia(media.url)).text();
const form = new FormData();
form.set("file", new Blob(["x"], { type: "text/plain" }), "a.txt");
form.set("type", "text/plain");
form.set("messaging_product", "whatsapp");
said.upload = await api.uploadMedia(NUMBER, form);
console.log(JSON.stringify(said));
