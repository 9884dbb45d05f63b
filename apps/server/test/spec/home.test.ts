import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

const run = promisify(execFile)

async function readPage(server: TestServer): Promise<string> {
  const page = await fetch(server.url)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  return await page.text()
}

/** Gives the command of the page as a terminal gets it. */
function readCommand(page: string): string {
  const [, escaped = ''] = /<pre><code>([\s\S]*?)<\/code><\/pre>/.exec(page) ?? []
  return escaped.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}

describe('the page at /', () => {
  it.each(['own', 'it\'s <a> "b" $(c)'])('shows a command that works as it stands, with the model %s', async (name) => {
    await using server = await startTestServer()
    await server.model(name, { rules: [{ do: { text: 'Good day' } }] })
    const page = await readPage(server)
    expect(page).not.toContain('<a> ')
    const command = readCommand(page)
    expect(command).toContain(`curl ${server.url}/v1/chat/completions`)
    // The shell parses the command, and the arguments of curl are sent as a request.
    const { stdout } = await run('sh', ['-c', `curl() { printf '%s\\n' "$@"; }\n${command}`])
    const [url = '', , header = '', , body = ''] = stdout.split('\n')
    const [field = '', value = ''] = header.split(': ')
    const reply = await fetch(url, { method: 'POST', headers: { [field]: value }, body })
    expect(await reply.json()).toMatchObject({ model: name, choices: [{ message: { content: 'Good day' } }] })
  })

  it('says how to add a model when there is none', async () => {
    await using server = await startTestServer()
    expect(await readPage(server)).toContain('<code>svc models add FILE</code>')
  })

  it('names no model to visitors without a key, and says where the key goes', async () => {
    await using server = await startTestServer({ flags: ['--api-keys', 'sk-1'] })
    await server.model('secret-name')
    const page = await readPage(server)
    expect(page).not.toContain('secret-name')
    expect(readCommand(page)).toContain("-H 'Authorization: Bearer YOUR-KEY'")
  })
})
