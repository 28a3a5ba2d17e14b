// Starts the package emulate as GitHub, with a person who owns a repository and a bot. The package looks for an issue of the
// number "comments" before it looks at its list of comments: here the lists come first.
import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const numbered = /^\/repos\/:owner\/:repo\/(issues\/:issue_number|pulls\/:pull_number)$/;
const folder = dirname(fileURLToPath(import.meta.resolve('emulate')));
const file = readdirSync(folder).find(
    (name) => /^dist-.*\.js$/.test(name) && readFileSync(join(folder, name), 'utf8').includes('githubPlugin'));
const {githubPlugin} = await import(pathToFileURL(join(folder, file)));
const register = githubPlugin.register;
githubPlugin.register = function (app, ...rest) {
  const later = [];
  const get = app.get;
  app.get = function (path, ...handlers) {
    return numbered.test(path) ? (later.push([path, ...handlers]), app) : get.call(app, path, ...handlers);
  };
  const result = register.call(this, app, ...rest);
  app.get = get;
  later.forEach((route) => app.get(...route));
  return result;
};
const {createEmulator} = await import('emulate');
const started = await createEmulator({
  service: 'github',
  port: Number(process.env.PORT),
  seed: {
    tokens: {
      ghp_bot: {login: 'holdfast-bot', scopes: ['repo']},
      ghp_person: {login: 'octocat', scopes: ['repo', 'admin:repo_hook']},
    },
    github: {
      users: [{login: 'octocat'}, {login: 'holdfast-bot'}],
      repos: [{owner: 'octocat', name: 'hello'}],
    },
  },
});
console.log(started.url);
