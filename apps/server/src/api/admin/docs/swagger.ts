import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SvcError } from '@svc/errors'
import { pathPrefix } from '../../../http/call.ts'
import { HttpReply } from '../../../http/http-reply.ts'
import { defineRoute, type Route } from '../../../http/route.ts'

/** Files of the page; it loads nothing from other servers. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc API</title>
<link rel="stylesheet" href="swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="swagger-ui-bundle.js"></script>
<script src="start.js"></script>
</body>
</html>
`

const START = `SwaggerUIBundle({ url: 'doc.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null })\n`

/** Finds the folder of the assets: beside the build, which copied them, or in their package. */
function findAssetFolder(): string {
  if (!import.meta.url.endsWith('.ts')) return fileURLToPath(new URL('./swagger-ui/', import.meta.url))
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
}

const common = { method: 'GET', access: 'none', family: 'compatible', tag: 'documentation' } as const

/**
 * The API documentation: the OpenAPI document at `/swagger/doc.json` and its page.
 *
 * @param document makes the document on the first request, when the route table is complete
 */
export function swaggerRoutes(document: () => Promise<Record<string, unknown>>): Route[] {
  const page = (): HttpReply => new HttpReply(PAGE, { headers: { 'content-type': 'text/html; charset=utf-8' } })
  return [
    defineRoute({
      ...common,
      path: '/swagger',
      summary: 'To the API documentation',
      responses: { 302: { description: 'To `/swagger/index.html`.' } },
      handler: (call) =>
        new HttpReply(null, { status: 302, headers: { location: `${pathPrefix(call)}/swagger/index.html` } }),
    }),
    defineRoute({
      ...common,
      path: '/swagger/doc.json',
      summary: 'This document: OpenAPI 3.1',
      responses: { 200: { description: 'The document.', contentType: 'application/json' } },
      async handler(call) {
        const servers = [{ url: call.baseUrl.replace(/\/$/, '') }]
        return new HttpReply(JSON.stringify({ ...(await document()), servers }), {
          headers: { 'content-type': 'application/json' },
        })
      },
    }),
    defineRoute({
      ...common,
      path: '/swagger/:file',
      summary: 'The API documentation page and its files',
      responses: { 200: { description: 'The page.', contentType: 'text/html' } },
      handler(call) {
        const file = call.param('file')
        if (file === 'index.html') return page()
        if (file === 'start.js')
          return new HttpReply(START, { headers: { 'content-type': 'text/javascript; charset=utf-8' } })
        const contentType = Object.hasOwn(ASSETS, file) ? ASSETS[file] : undefined
        if (contentType === undefined) throw new SvcError('not_found', 'Resource not found', { details: { type: '' } })
        const body = readFileSync(join(findAssetFolder(), file))
        return new HttpReply(body, {
          headers: { 'content-type': contentType, 'cache-control': 'public, max-age=3600' },
        })
      },
    }),
  ]
}
