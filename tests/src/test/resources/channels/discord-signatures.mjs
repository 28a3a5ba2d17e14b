// Reads lines of JSON: {sign: {seed, time, body}} or {verify: {key, time, body, signature}}; writes one line for each.
import readline from 'node:readline';
import {verifyKey} from 'discord-interactions';
import nacl from 'tweetnacl';

for await (const line of readline.createInterface({input: process.stdin})) {
  const {sign, verify} = JSON.parse(line);
  if (sign) {
    const pair = nacl.sign.keyPair.fromSeed(Buffer.from(sign.seed, 'hex'));
    console.log(Buffer.from(nacl.sign.detached(Buffer.from(sign.time + sign.body), pair.secretKey)).toString('hex'));
  } else {
    console.log(await verifyKey(verify.body, verify.signature, verify.time, verify.key));
  }
}
