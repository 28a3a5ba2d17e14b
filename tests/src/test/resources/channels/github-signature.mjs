// With GitHub's own library: prints the signature of a file, or whether the one that is given is right.
import {readFileSync} from 'node:fs';
import {sign, verify} from '@octokit/webhooks-methods';

const [secret, file, signature] = process.argv.slice(2);
const body = readFileSync(file, 'utf8');
console.log(signature === undefined ? await sign(secret, body) : await verify(secret, body, signature));
