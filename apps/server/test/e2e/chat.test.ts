import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { createDeferred, type HttpServer, startHttpServer, type TempDir, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { BUILT_ENTRY, type CommandOutcome, runBuilt, toEnvironment } from '../support/built-server.ts'
import { HAS_TERMINALS, openTerminal } from '../support/terminal.ts'

const run = promisify(execFile)

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly authorization: string | undefined
}
type Answer = (reply: ServerResponse, asked: Asked) => void | Promise<void>

/** A server with the model `m`, whose answers a test writes, and the requests that the model got. */
interface ModelServer extends HttpServer {
  readonly asked: Asked[]
}

const event = (value: unknown): string => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
const delta = (content: string): string => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
const END = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) + event('[DONE]')
const stream = (reply: ServerResponse): ServerResponse => reply.writeHead(200, { 'content-type': 'text/event-stream' })

/** An answer in these pieces. */
const says =
  (...pieces: readonly string[]): Answer =>
  (reply) =>
    void stream(reply).end(pieces.map(delta).join('') + END)

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request) text += piece
  return text
}

/** Answers the questions in turn; the last answer stays. */
async function serveModel(...answers: readonly Answer[]): Promise<ModelServer> {
  const asked: Asked[] = []
  const answer = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    if (request.method === 'GET') return void reply.end(JSON.stringify({ id: 'm' }))
    const { messages } = JSON.parse(await readBody(request))
    asked.push({ messages, authorization: request.headers.authorization })
    await answers[Math.min(asked.length, answers.length) - 1]?.(reply, asked.at(-1) as Asked)
  }
  const server = await startHttpServer((request, reply) => void answer(request, reply))
  return Object.assign(server, { asked })
}

let folder: TempDir
beforeAll(async () => {
  folder = await tempDir('svc-e2e-')
})
afterAll(() => folder.close())

const flags = ({ port }: HttpServer): string[] => [`--address=127.0.0.1:${port}`]

function chat(
  server: HttpServer,
  words: readonly string[],
  options: { input?: string; env?: Record<string, string> } = {},
): Promise<CommandOutcome> {
  return runBuilt(folder.path, ['chat', ...words, ...flags(server)], options)
}

describe('svc chat in a pipe', () => {
  verifies(
    'cli:chat:pipes',
    'answers a prompt of the command line or of a pipe, and prints only the answer',
    async () => {
      await using server = await serveModel(says('one', ' two'))
      const forms: readonly (readonly [words: readonly string[], input: string | undefined, prompt: string])[] = [
        [['m', 'hi', 'there'], undefined, 'hi there'],
        [['m'], 'hi\n', 'hi'],
        [['m', 'Summarise', 'this:', '-'], 'a text\n', 'Summarise this:\n\na text'],
      ]
      for (const [words, input, prompt] of forms) {
        const outcome = await chat(server, words, input === undefined ? {} : { input })
        expect(outcome, prompt).toEqual({ code: 0, signal: null, stdout: 'one two', stderr: '' })
        expect(server.asked.at(-1)?.messages, prompt).toEqual([{ role: 'user', content: prompt }])
      }
    },
  )

  verifies('cli:chat:pipes', 'sends the system message, and the key of the flag or of the variable', async () => {
    await using server = await serveModel(says('yes'))
    await chat(server, ['m', 'hi', '--system', 'Be brief.', '--api-keys=first,second'])
    await chat(server, ['m', 'hi'], { env: { SVC_API_KEY: 'of-the-variable' } })
    expect(server.asked).toEqual([
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'hi' },
        ],
        authorization: 'Bearer first',
      },
      { messages: [{ role: 'user', content: 'hi' }], authorization: 'Bearer of-the-variable' },
    ])
  })

  verifies('cli:chat:failures', 'a failure in mid-stream is said on standard error with code 1', async () => {
    await using server = await serveModel((reply) => {
      stream(reply).end(delta('half') + event({ error: { message: 'the backend ended' } }) + event('[DONE]'))
    })
    const outcome = await chat(server, ['m', 'hi'])
    expect(outcome).toEqual({ code: 1, signal: null, stdout: 'half', stderr: 'svc: the backend ended' })
  })

  it('names an answer that ended at its limit, and shows no thoughts', async () => {
    await using server = await serveModel((reply) => {
      stream(reply).end(
        event({ choices: [{ delta: { reasoning: 'hm' } }] }) +
          delta('half') +
          event({ choices: [{ delta: {}, finish_reason: 'length' }] }),
      )
    })
    expect(await chat(server, ['m', 'hi'])).toMatchObject({ code: 0, stdout: 'half', stderr: /limit/ })
  })

  it.each([
    [['m', ''], undefined],
    [['m', '-'], ' \n'],
  ])('%j with the input %j is refused, and nothing is asked', async (words, input) => {
    await using server = await serveModel(says('yes'))
    const outcome = await chat(server, words, input === undefined ? {} : { input })
    expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: 'svc: the prompt is empty' })
    expect(server.asked).toEqual([])
  })

  verifies('cli:chat:failures', 'a model that does not exist is named, and nothing is asked', async () => {
    const server = await startHttpServer((_, reply) => {
      reply.writeHead(404).end('{"error": {"message": "model \\"x\\" not found"}}')
    })
    await using _ = server
    expect(await chat(server, ['x', 'hi'])).toMatchObject({ code: 1, stdout: '', stderr: 'svc: model "x" not found' })
  })

  verifies('cli:chat:no-server', 'asks in this process where no server runs', async () => {
    const free = await serveModel()
    await free.close()
    for (const flags of [[], ['--auth-enabled']]) {
      const outcome = await chat(free, ['demo', 'Hello!', ...flags], { env: { SVC_THREADS: '1' } })
      expect(outcome, flags.join()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\p{Lu}.+/u), stderr: '' })
    }
  })

  verifies('cli:chat:no-escapes', 'prints no control characters of a model', async () => {
    await using server = await serveModel(says('\u001b', '[2J\u009b31m\u202e', '\ra\tb\r', '\nc'))
    const { stdout } = await chat(server, ['m', 'hi'])
    expect(stdout).toBe('\\u001b[2J\\u009b31m\\u202e\\u000da\tb\nc')
  })

  verifies('cli:chat:interrupts', 'stops asking once nobody reads the answer', async () => {
    const left = createDeferred<void>()
    await using server = await serveModel((reply) => {
      const timer = setInterval(() => reply.write(delta('word '.repeat(2000))), 1)
      stream(reply).once('close', () => {
        clearInterval(timer)
        left.resolve()
      })
    })
    const asks = `"${process.execPath}" "${BUILT_ENTRY}" chat m hi ${flags(server).join(' ')}`
    const command = `{ ${asks}; echo "code $?" >&2; } | head -c 4`
    const { stdout, stderr } = await run('sh', ['-c', command], {
      cwd: folder.path,
      env: toEnvironment(folder.path, {}),
    })
    expect([stdout, stderr]).toEqual(['word', 'code 141\n'])
    await left.promise
  })

  verifies('cli:chat:interrupts', 'one signal ends it while the reader of the pipe stalls', async () => {
    await using server = await serveModel((reply) => void stream(reply).write(delta('word '.repeat(200_000))))
    const child = spawn(process.execPath, [BUILT_ENTRY, 'chat', 'm', 'hi', ...flags(server)], {
      cwd: folder.path,
      env: toEnvironment(folder.path, {}),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    // The pipe holds less than the answer, and nobody reads on.
    await once(child.stdout, 'readable')
    child.kill('SIGINT')
    expect(await exited).toEqual([130, null])
  })
})

describe.skipIf(!HAS_TERMINALS)('svc chat at a terminal', () => {
  verifies('cli:chat:dialogue', 'streams answers, keeps the turns, and ends with Ctrl-D', async () => {
    const rest = createDeferred<void>()
    const slow: Answer = async (reply) => {
      stream(reply).write(delta('first '))
      await rest.promise
      reply.end(delta('answer') + END)
    }
    await using server = await serveModel(slow, says('second answer'), says('third answer'))
    await using terminal = openTerminal(folder.path, ['chat', 'm', '--system', 'Be kind.', ...flags(server)])
    await terminal.shows('>>> ')
    terminal.type('Hello\r')
    // The first piece is shown before the model has written the second.
    await terminal.shows('first ')
    rest.resolve()
    await terminal.shows('answer')
    await terminal.shows('>>> ')
    terminal.type('And\\\r')
    await terminal.shows('... ')
    terminal.type('again\r')
    await terminal.shows('second answer')
    await terminal.shows('>>> ')
    terminal.type('/clear\r')
    await terminal.shows('forgotten')
    await terminal.shows('>>> ')
    terminal.type('Anew\r')
    await terminal.shows('third answer')
    await terminal.shows('>>> ')
    terminal.type('\u0004')
    expect(await terminal.exited).toBe(0)
    const system = { role: 'system', content: 'Be kind.' }
    expect(server.asked.map(({ messages }) => messages)).toEqual([
      [system, { role: 'user', content: 'Hello' }],
      [
        system,
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'first answer' },
        { role: 'user', content: 'And\nagain' },
      ],
      [system, { role: 'user', content: 'Anew' }],
    ])
  })

  verifies('cli:chat:interrupts', 'Ctrl-C stops the answer, and a second one leaves', async () => {
    const left = createDeferred<void>()
    const endless: Answer = (reply) => {
      stream(reply).write(delta('a part'))
      reply.once('close', () => left.resolve())
    }
    await using server = await serveModel(endless, says('the whole'))
    await using terminal = openTerminal(folder.path, ['chat', 'm', ...flags(server)])
    await terminal.shows('>>> ')
    terminal.type('Go on\r')
    await terminal.shows('a part')
    terminal.type('typed before\u0003')
    await left.promise
    await terminal.shows('>>> ')
    terminal.type('Next\r')
    await terminal.shows('the whole')
    expect(server.asked.at(-1)?.messages).toEqual([
      { role: 'user', content: 'Go on' },
      { role: 'assistant', content: 'a part' },
      { role: 'user', content: 'Next' },
    ])
    await terminal.shows('>>> ')
    terminal.type('half a line\u0003')
    await terminal.shows('Ctrl-C again leaves')
    terminal.type('\u0003')
    expect(await terminal.exited).toBe(130)
    expect(server.asked).toHaveLength(2)
  })

  verifies('cli:chat:interrupts', 'two Ctrl-C in an answer leave', async () => {
    await using server = await serveModel((reply) => void stream(reply).write(delta('a part')))
    await using terminal = openTerminal(folder.path, ['chat', 'm', ...flags(server)])
    await terminal.shows('>>> ')
    terminal.type('Go on\r')
    await terminal.shows('a part')
    terminal.type('\u0003\u0003')
    expect(await terminal.exited).toBe(130)
  })

  verifies(
    'cli:chat:interrupts',
    'Ctrl-C leaves an answer after Ctrl-D, and pastes are not marked any more',
    async () => {
      const left = createDeferred<void>()
      await using server = await serveModel((reply) => {
        stream(reply).write(delta('a part'))
        reply.once('close', () => left.resolve())
      })
      await using terminal = openTerminal(folder.path, ['chat', 'm', ...flags(server)])
      await terminal.shows('>>> ')
      terminal.type('Go on\r')
      await terminal.shows('a part')
      terminal.type('\u0004')
      await terminal.shows('\u001b[?2004l')
      terminal.type('\u0003')
      expect(await terminal.exited).toBe(130)
      await left.promise
    },
  )

  verifies('cli:chat:signals', 'a signal leaves with its code, and gives the terminal back', async () => {
    const left = createDeferred<void>()
    await using server = await serveModel((reply) => {
      stream(reply).write(delta('a part'))
      reply.once('close', () => left.resolve())
    })
    await using idle = openTerminal(folder.path, ['chat', 'm', ...flags(server)])
    await using busy = openTerminal(folder.path, ['chat', 'm', ...flags(server)])
    await busy.shows('>>> ')
    busy.type('Go on\r')
    await busy.shows('a part')
    await idle.shows('>>> ')
    idle.signal('SIGTERM')
    busy.signal('SIGHUP')
    expect([await idle.exited, await busy.exited]).toEqual([143, 129])
    await left.promise
    for (const terminal of [idle, busy]) {
      expect(terminal.output().lastIndexOf('\u001b[?2004l')).toBeGreaterThan(
        terminal.output().lastIndexOf('\u001b[?2004h'),
      )
    }
  })

  verifies('cli:chat:interrupts', 'Ctrl-C ends the answer to a prompt of the command line', async () => {
    const left = createDeferred<void>()
    await using server = await serveModel((reply) => {
      stream(reply).write(delta('a part'))
      reply.once('close', () => left.resolve())
    })
    await using terminal = openTerminal(folder.path, ['chat', 'm', 'hi', ...flags(server)])
    await terminal.shows('a part')
    terminal.type('\u0003')
    expect(await terminal.exited).toBe(130)
    await left.promise
  })

  verifies('cli:chat:failures', 'an answer that fails in mid-stream is said, and the dialogue goes on', async () => {
    const fails: Answer = (reply) => void stream(reply).end(delta('half') + event({ error: { message: 'broke down' } }))
    await using server = await serveModel(fails, fails, says('whole'))
    await using terminal = openTerminal(folder.path, ['chat', 'm', ...flags(server)])
    await terminal.shows('>>> ')
    terminal.type('One\r')
    await terminal.shows('svc: broke down')
    terminal.type('\u0004')
    expect(await terminal.exited).toBe(1)
    await using again = openTerminal(folder.path, ['chat', 'm', ...flags(server)])
    for (const [prompt, shown] of [
      ['Two', 'svc: broke down'],
      ['Three', 'whole'],
    ]) {
      await again.shows('>>> ')
      again.type(`${prompt}\r`)
      await again.shows(shown ?? '')
    }
    await again.shows('>>> ')
    again.type('/exit\r')
    expect(await again.exited).toBe(0)
    // The failed turn is not part of the conversation.
    expect(server.asked.at(-1)?.messages).toEqual([{ role: 'user', content: 'Three' }])
  })

  verifies(
    'cli:chat:no-escapes',
    'shows thoughts dimmed, and no sequence of the model reaches the terminal',
    async () => {
      const hostile = '\u001b[2J\u001b]52;c;cm0=\u0007\u009b31m\rforged'
      const answer: Answer = (reply) =>
        void stream(reply).end(thinks(hostile) + thinks('\ud83d') + thinks('\ude00') + delta(hostile) + END)
      const thinks = (reasoning: string): string => event({ choices: [{ delta: { reasoning } }] })
      const refuses: Answer = (reply) => void stream(reply).end(event({ error: { message: hostile } }))
      await using server = await serveModel(answer, refuses)
      await using terminal = openTerminal(folder.path, ['chat', 'm', ...flags(server)])
      await terminal.shows('>>> ')
      terminal.type('Hello\r')
      await terminal.shows('\u001b[2m\\u001b[2J')
      await terminal.shows('\u001b[2m😀\u001b[22m')
      await terminal.shows('\\u001b[2J\\u001b]52;c;cm0=\\u0007\\u009b31m\\u000dforged')
      await terminal.shows('>>> ')
      terminal.type('Again\r')
      await terminal.shows('svc: \\u001b[2J')
      await terminal.shows('>>> ')
      terminal.type('\u0004')
      await terminal.exited
      for (const sequence of ['\u001b]', '\u0007', '\u009b', '\u001b[2J'])
        expect(terminal.output()).not.toContain(sequence)
    },
  )

  it('takes a pasted text as one prompt, and lines typed ahead in turn', async () => {
    await using server = await serveModel(says('first'), says('second'), says('third'))
    await using terminal = openTerminal(folder.path, ['chat', 'm', ...flags(server)])
    await terminal.shows('\u001b[?2004h')
    await terminal.shows('>>> ')
    terminal.type('\u001b[200~function f() {\r  return 1\r}\u001b[201~\r')
    await terminal.shows('first')
    await terminal.shows('>>> ')
    terminal.type('two\rthree\r')
    await terminal.shows('second')
    await terminal.shows('>>> three')
    await terminal.shows('third')
    await terminal.shows('>>> ')
    terminal.type('\u0004')
    expect(await terminal.exited).toBe(0)
    const prompts = server.asked.map(({ messages }) => messages.at(-1)?.content)
    expect(prompts).toEqual(['function f() {\n  return 1\n}', 'two', 'three'])
  })
})
