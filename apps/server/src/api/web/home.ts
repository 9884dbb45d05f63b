import { HttpReply } from '../../http/http-reply.ts'

const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-6 -6 36 36"><rect x="-6" y="-6" width="36" height="36" rx="8" fill="#14171c"/><path d="M5 8l7-4 7 4M5 16l7 4 7-4M5 12h14" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>`

/** Model and key of the command on the page. */
export interface HomeExample {
  /** A chat model; undefined when there is none, or when the visitor may not learn its name. */
  readonly model: string | undefined
  readonly needsKey: boolean
}

function formatCommand({ model, needsKey }: HomeExample, base: string): string {
  const key = needsKey ? " -H 'Authorization: Bearer YOUR-KEY'" : ''
  const body = JSON.stringify({ model: model ?? 'MODEL', messages: [{ role: 'user', content: 'Hello' }] })
  const lines = [
    `curl ${base}v1/chat/completions -H 'Content-Type: application/json'${key} \\`,
    `  -d '${body.replaceAll("'", "'\\''")}'`,
  ]
  return escapeHtml(lines.join('\n'))
}

function formatHint({ model, needsKey }: HomeExample): string {
  if (model !== undefined) return ''
  return needsKey
    ? '<p>Put your key and the name of a model into the command: <code>/v1/models</code> lists them.</p>\n'
    : '<p>There is no model yet: <code>svc models add FILE</code> adds one.</p>\n'
}

/** The facts on the page. */
export interface HomeFacts {
  readonly version: string
  /** The URL of the server as the client sees it, ending in `/`. */
  readonly base: string
  readonly example: HomeExample
  /** Whether browsers get the web interface here. */
  readonly hasInterface: boolean
}

function formatPage({ version, base, example, hasInterface }: HomeFacts): string {
  const href = escapeHtml(base)
  const about = hasInterface
    ? `A browser opens the web interface here: <a href="${href}app">${href}app</a>.`
    : 'This server was started without its web interface.'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc</title>
<link rel="icon" href="${href}favicon.svg">
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1rem; color: #1f2937; background: #fff }
code { background: #f3f4f6; border-radius: 4px; padding: .1rem .3rem }
pre { background: #f3f4f6; border-radius: 8px; padding: 1rem; overflow-x: auto }
@media (prefers-color-scheme: dark) { body { color: #e5e7eb; background: #111827 } code, pre { background: #1f2937 } a { color: #93c5fd } }
</style>
</head>
<body>
<h1>svc is running</h1>
<p>A self-hosted model server, version ${version}. It speaks the chat-completions format. ${about}</p>
<pre><code>${formatCommand(example, base)}</code></pre>
${formatHint(example)}<ul>
<li><a href="${href}swagger/index.html">API documentation</a> (<a href="${href}swagger/doc.json">OpenAPI 3.1</a>)</li>
<li><a href="${href}api/instructions">Instructions</a> for programs, <a href="${href}.well-known/service.json">discovery document</a></li>
<li><a href="${href}v1/models">Models</a>, <a href="${href}system">loaded models</a>, <a href="${href}metrics">metrics</a></li>
</ul>
</body>
</html>
`
}

/** Escapes a text for HTML. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** Answers with the page about this server: a first command to copy, and where to read on. */
export function serveHome(facts: HomeFacts): HttpReply {
  return new HttpReply(formatPage(facts), {
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
  })
}

/** Answers with the icon. */
export function serveIcon(): HttpReply {
  return new HttpReply(FAVICON, {
    headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=3600' },
  })
}
