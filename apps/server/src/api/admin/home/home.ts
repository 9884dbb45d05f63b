import { HttpReply } from '../../../http/http-reply.ts'
import { defineRoute, type Route } from '../../../http/route.ts'

const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1d4ed8"/><path d="M8 10h16M8 16h10M8 22h13" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>`

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

function formatPage({ version, base, example }: { version: string; base: string; example: HomeExample }): string {
  const href = escapeHtml(base)
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
<p>A self-hosted model server, version ${version}. This version has no web interface yet; it speaks the chat-completions format.</p>
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

const PAGES = ['/app', '/app/*', '/browse', '/browse/*', '/login', '/invite/:code', '/explorer'] as const

const common = { method: 'GET', access: 'none', family: 'compatible', tag: 'pages' } as const

/** The page for browsers until there is a web interface. @param options.root whether `/` serves it too */
export function homeRoutes(
  version: string,
  { root, example }: { readonly root: boolean; readonly example: () => HomeExample },
): Route[] {
  const [first, ...others] = root ? (['/', ...PAGES] as const) : PAGES
  return [
    defineRoute({
      ...common,
      path: first,
      aliases: others,
      summary: 'A page about this server',
      responses: { 200: { description: 'The page.', contentType: 'text/html' } },
      handler: (call) =>
        new HttpReply(formatPage({ version, base: call.baseUrl, example: example() }), {
          headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
        }),
    }),
    defineRoute({
      ...common,
      path: '/favicon.svg',
      summary: 'The icon',
      responses: { 200: { description: 'The icon.', contentType: 'image/svg+xml' } },
      handler: () =>
        new HttpReply(FAVICON, {
          headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=3600' },
        }),
    }),
  ]
}
