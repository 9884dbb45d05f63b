import type { Format, Language } from './formats.ts'

/** Subject of a snippet. */
export interface SnippetOptions {
  readonly format: Format
  readonly language: Language
  /** Root of the server, with a slash at its end. */
  readonly root: string
  readonly model: string
  /** `none` for a server that asks for no key, `variable` for the key in `SVC_API_KEY`, else the key itself. */
  readonly key:
    | { readonly kind: 'none' }
    | { readonly kind: 'variable' }
    | { readonly kind: 'value'; readonly value: string }
}

const PATHS: Readonly<Record<Format, string>> = {
  chat: 'v1/chat/completions',
  messages: 'v1/messages',
  responses: 'v1/responses',
}

const HELLO = 'Hello'

function makeBody(format: Format, model: string): Readonly<Record<string, unknown>> {
  if (format === 'responses') return { model, input: HELLO }
  const messages = [{ role: 'user', content: HELLO }]
  return format === 'chat' ? { model, messages } : { model, max_tokens: 256, messages }
}

/** Path of the answer's text in a reply; both languages write it this way. */
const ANSWERS: Readonly<Record<Format, { readonly js: string; readonly python: string }>> = {
  chat: { js: 'choices[0].message.content', python: '["choices"][0]["message"]["content"]' },
  messages: { js: 'content.at(-1).text', python: '["content"][-1]["text"]' },
  responses: { js: 'output.at(-1).content[0].text', python: '["output"][-1]["content"][0]["text"]' },
}

/** A program that asks the server one question. */
export function makeSnippet(options: SnippetOptions): string {
  switch (options.language) {
    case 'curl':
      return makeCurl(options)
    case 'js':
      return makeScript(options)
    case 'python':
      return makePython(options)
  }
}

const quoteForShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

function makeCurl({ format, root, model, key }: SnippetOptions): string {
  const header = format === 'messages' ? 'x-api-key: ' : 'Authorization: Bearer '
  const auth =
    key.kind === 'none'
      ? []
      : [key.kind === 'variable' ? `-H "${header}$SVC_API_KEY"` : `-H ${quoteForShell(header + key.value)}`]
  return [
    `curl ${root}${PATHS[format]}`,
    `-H 'Content-Type: application/json'`,
    ...auth,
    `-d ${quoteForShell(JSON.stringify(makeBody(format, model)))}`,
  ].join(' \\\n  ')
}

function makeScript({ format, root, model, key }: SnippetOptions): string {
  const value = key.kind === 'value' ? JSON.stringify(key.value) : 'process.env.SVC_API_KEY'
  const auth =
    key.kind === 'none'
      ? ''
      : format === 'messages'
        ? `,\n    'x-api-key': ${value}`
        : `,\n    Authorization: \`Bearer \${${value}}\``
  return `const response = await fetch('${root}${PATHS[format]}', {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json'${auth}
  },
  body: JSON.stringify(${JSON.stringify(makeBody(format, model))})
})
const reply = await response.json()
console.log(reply.${ANSWERS[format].js})`
}

function makePython({ format, root, model, key }: SnippetOptions): string {
  const value = key.kind === 'value' ? JSON.stringify(key.value) : 'os.environ["SVC_API_KEY"]'
  const auth =
    key.kind === 'none'
      ? ''
      : format === 'messages'
        ? `\n    headers={"x-api-key": ${value}},`
        : `\n    headers={"Authorization": "Bearer " + ${value}},`
  return `${key.kind === 'variable' ? 'import os\n' : ''}import requests

response = requests.post(
    "${root}${PATHS[format]}",${auth}
    json=${JSON.stringify(makeBody(format, model))},
)
print(response.json()${ANSWERS[format].python})`
}
