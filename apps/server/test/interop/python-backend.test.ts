import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { openChat, postChat, readAnswer } from '../e2e/open-chat.ts'
import { CAN_SEE_PROCESSES, startBuiltServer } from '../support/built-server.ts'
import { sseData } from '../support/server.ts'
import { findPython, installBackend, titled } from './python.ts'
import { startPythonHost } from './python-client.ts'
import { isRunning, startInteropServer } from './world.ts'

const python = findPython()
const path = python.missing === undefined ? python.path : ''
const start = (options?: Parameters<typeof startInteropServer>[1]) => startInteropServer(path, options)

const QUESTION = 'drei zwei 😀 eins'
const ANSWER = 'eins 😀 zwei drei'
const ask = { messages: [{ role: 'user', content: QUESTION }] }

function joinContent(reply: { json(): unknown }): string {
  return (reply.json() as { choices: { message: { content: string } }[] }).choices[0]?.message.content ?? ''
}

function readError(reply: { json(): unknown }): { message: string; type: string; code: unknown } {
  return (reply.json() as { error: { message: string; type: string; code: unknown } }).error
}

describe.skipIf(python.missing)(titled('a Python backend under our server', python), () => {
  it('answers a chat, whole and streamed, with characters cut between its pieces', async () => {
    await using server = await start()
    await server.words('m')
    const whole = await server.chat('m', ask)
    expect(whole.status, whole.text).toBe(200)
    expect(joinContent(whole)).toBe(ANSWER)
    expect(whole.json()).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
      usage: { prompt_tokens: 4, completion_tokens: 4, total_tokens: 8 },
    })
    const stream = openChat(server.url, 'm', { ...ask, stream_options: { include_usage: true } })
    expect(await stream.ended).toBe('whole')
    expect(stream.text()).toBe(ANSWER)
    expect(JSON.stringify(stream.events)).not.toContain('�')
    // counters of the contract are running totals
    expect(stream.events.at(-2)).toMatchObject({ usage: { prompt_tokens: 4, completion_tokens: 4 } })
  })

  it('is told the limit of tokens', async () => {
    await using server = await start()
    await server.words('m')
    const reply = await server.chat('m', { ...ask, max_tokens: 2 })
    expect(joinContent(reply)).toBe('eins 😀')
    expect(reply.json()).toMatchObject({ choices: [{ finish_reason: 'length' }] })
  })

  it('parses its own tool calls, whole and piece by piece', async () => {
    await using server = await start()
    await server.words('m')
    const tools = [{ type: 'function', function: { name: 'shout', parameters: { type: 'object', properties: {} } } }]
    const call = { id: 'call_1', type: 'function', function: { name: 'shout', arguments: `{"text": "${QUESTION}"}` } }
    const whole = await server.chat('m', { ...ask, tools })
    expect(whole.json()).toMatchObject({
      choices: [{ finish_reason: 'tool_calls', message: { tool_calls: [call] } }],
    })
    const events = sseData((await server.chat('m', { ...ask, tools, stream: true })).text)
    const deltas = events.flatMap((event) => deltaCalls(event))
    expect(deltas.map(({ function: part }) => part.name ?? '').join('')).toBe('shout')
    expect(deltas.map(({ function: part }) => part.arguments ?? '').join('')).toBe(call.function.arguments)
  })

  it('is started as backends expect it: argv, folder, group, parent, environment, model', async () => {
    await using server = await start({ env: { SVC_API_KEYS: '' } })
    await server.words('m', [], { context_size: 1234, threads: 3 })
    expect((await server.chat('m', ask)).status).toBe(200)
    const [loaded] = await server.recorded('m')
    expect(loaded).toMatchObject({
      rpc: 'LoadModel',
      argv: ['--addr', expect.stringMatching(/^127\.0\.0\.1:\d+$/)],
      folder: server.backend,
      parent: process.pid,
      group: loaded?.pid,
      caches: server.modelsPath,
      model: 'm.bin',
      file: join(server.modelsPath, 'm.bin'),
      models: server.modelsPath,
      context: 1234,
      threads: 3,
    })
    expect(loaded?.environment).toEqual(
      expect.arrayContaining(['LOCALAI_GRPC_AUTH_TOKEN', 'LOCALAI_BACKEND_PARENT_WATCH', 'HF_HOME', 'PATH']),
    )
  })

  it('takes calls with its bearer token alone', async () => {
    await using server = await start()
    await using host = await startPythonHost(path, [join(server.backend, 'run.sh')], { token: 'secret' })
    expect(await host.call({ rpc: 'Health' })).toEqual({ replies: [{ message: 'T0s=' }] })
    for (const token of [null, 'Secret', '']) {
      expect(await host.call({ rpc: 'Health', token })).toMatchObject({ replies: [], code: 'UNAUTHENTICATED' })
    }
  })

  it('learns that a client has left', async () => {
    await using server = await start()
    await server.words('m', ['endless:true', 'pause:5'])
    const stream = openChat(server.url, 'm', ask)
    await stream.hasText(3)
    stream.leave()
    await eventually(async () =>
      expect(await server.recorded('m')).toContainEqual(expect.objectContaining({ left: expect.any(Number) })),
    )
    expect((await server.call('/system')).text).toContain('"m"')
  })
})

describe.skipIf(python.missing)(titled('names of an installed folder', python), () => {
  it.each([
    ['the name of its metadata', 'any-folder', { name: 'reverse-words' }],
    ['its alias', 'cpu-any-folder', { name: 'cpu-words', alias: 'reverse-words' }],
    ['its folder, without metadata', 'reverse-words', null],
    ['its folder beside another name', 'reverse-words', { name: 'other' }],
  ])('%s', async (_, installAs, metadata) => {
    await using server = await start({ installAs, metadata })
    await server.words('m')
    expect((await server.chat('m', ask)).status).toBe(200)
  })

  it('a folder of metadata alone leads to another', async () => {
    await using server = await start({ installAs: 'cpu-words', metadata: { name: 'cpu-words' } })
    const meta = join(server.folder, 'backends', 'reverse-words')
    await mkdir(meta)
    const metadata = { name: 'reverse-words', meta_backend_for: 'cpu-words' }
    await writeFile(join(meta, 'metadata.json'), JSON.stringify(metadata))
    await server.words('m')
    expect((await server.chat('m', ask)).status).toBe(200)
    expect((await server.call('/system')).json()).toMatchObject({
      backends: expect.arrayContaining(['cpu-words', 'reverse-words']),
      loaded_models: [{ id: 'm', backend: 'reverse-words' }],
    })
  })

  it('an external name leads to a file', async () => {
    await using server = await start({ installAs: 'hidden', metadata: null })
    const external = { outside: join(server.backend, 'run.sh') }
    await writeFile(join(server.configDir, 'external_backends.json'), JSON.stringify(external))
    await eventually(async () => expect((await server.call('/system')).text).toContain('outside'))
    await server.words('m', [], { backend: 'outside' })
    expect((await server.chat('m', ask)).status).toBe(200)
  })
})

describe.skipIf(python.missing)(titled('failures of a Python backend', python), () => {
  it.each([
    ['by success=false', 'load:refuse', 'no such weights'],
    ['by a status', 'load:fail', 'the loader broke'],
    ['by its end', 'load:exit', 'backend process exited with code 3: the engine cannot start'],
  ])(
    'a load that fails %s is a 500 with the reason, then the cooldown; the process is gone',
    async (_, how, reason) => {
      await using server = await start()
      await server.words('m', [how])
      await server.words('fine')
      const failed = await server.chat('m', ask)
      expect(failed.status).toBe(500)
      expect(readError(failed)).toMatchObject({ message: `could not load model "m": ${reason}`, type: 'server_error' })
      const [loaded] = await server.recorded('m')
      expect(await isRunning(loaded?.pid ?? 0)).toBe(false)
      const resting = await server.chat('m', ask)
      expect(resting.status).toBe(503)
      expect(Number(resting.headers['retry-after'])).toBeGreaterThanOrEqual(1)
      expect((await server.recorded('m')).filter(({ rpc }) => rpc === 'LoadModel')).toHaveLength(1)
      expect((await server.chat('fine', ask)).status).toBe(200)
    },
  )

  it.each([{ stream: false }, { stream: true }])(
    'a lost model is loaded once more, unseen by the client %j',
    async (mode) => {
      await using server = await start()
      await server.words('m', ['lose_after:1'])
      expect((await server.chat('m', ask)).status).toBe(200)
      const again = await server.chat('m', { ...ask, ...mode })
      expect(again.status).toBe(200)
      const rpcs = (await server.recorded('m')).map(({ rpc }) => rpc)
      expect(rpcs.filter((rpc) => rpc === 'LoadModel')).toHaveLength(2)
    },
  )

  it.each([
    ['that grpc itself does not know', 'without:Predict'],
    ['that says so with code 2', 'vague:Predict'],
  ])('a call %s is a 501', async (_, option) => {
    await using server = await start()
    await server.words('m', [option])
    const reply = await server.chat('m', ask)
    expect(reply.status).toBe(501)
    expect(readError(reply).message).not.toBe('')
    // the process still works
    expect((await server.chat('m', { ...ask, stream: true })).status).toBe(200)
    expect((await server.recorded('m')).filter(({ rpc }) => rpc === 'LoadModel')).toHaveLength(1)
  })

  it('a request above its own limit is too large, and the backend lives on', async () => {
    await using server = await start({ maxReceiveBytes: 10_000 })
    await server.words('m')
    const reply = await server.chat('m', { messages: [{ role: 'user', content: 'word '.repeat(10_000) }] })
    expect(reply.status).toBe(413)
    expect((await server.chat('m', ask)).status).toBe(200)
    expect((await server.recorded('m')).filter(({ rpc }) => rpc === 'LoadModel')).toHaveLength(1)
  })

  it('a death in the middle of a stream is an error in the stream; the next request loads again', async () => {
    await using server = await start()
    await server.words('m', ['die_after:2'])
    const events = sseData((await server.chat('m', { ...ask, stream: true })).text)
    expect(events.slice(-2)).toEqual([
      { error: expect.objectContaining({ message: 'prediction failed: the model backend stopped' }) },
      '[DONE]',
    ])
    expect(joinContent(await server.chat('m', ask))).toBe(ANSWER)
    const pids = (await server.recorded('m')).map(({ pid }) => pid)
    expect(new Set(pids).size).toBe(2)
  })

  it('an address that holds another model by now is let go, and loaded again for the request', async () => {
    await using server = await start()
    await using host = await startPythonHost(path, [join(server.backend, 'run.sh')])
    const external = { there: host.address }
    await writeFile(join(server.configDir, 'external_backends.json'), JSON.stringify(external))
    await eventually(async () => expect((await server.call('/system')).text).toContain('there'))
    await server.words('a', [], { backend: 'there' })
    await server.words('b', [], { backend: 'there' })
    for (const model of ['a', 'b']) expect((await server.chat(model, ask)).status).toBe(200)
    expect(joinContent(await server.chat('a', ask))).toBe(ANSWER)
    expect((await server.recorded('a')).filter(({ rpc }) => rpc === 'LoadModel')).toHaveLength(2)
  })
})

describe.skipIf(python.missing || !CAN_SEE_PROCESSES)(titled('the end of a Python backend', python), () => {
  it('is asked for by Free, then by TERM, and takes its helpers along', async () => {
    await using server = await start()
    await server.words('m', ['helper:true'])
    expect((await server.chat('m', ask)).status).toBe(200)
    const before = await server.recorded('m')
    const helper = before.map((entry) => Number(entry.helper)).find((pid) => pid > 0) ?? 0
    expect(await isRunning(helper)).toBe(true)
    await server.server.close()
    const after = (await server.recorded('m')).slice(before.length)
    expect(after.map(({ rpc, signal }) => rpc ?? signal)).toEqual(['Free', 'TERM'])
    for (const pid of [before[0]?.pid ?? 0, helper]) expect(await isRunning(pid)).toBe(false)
  })

  // verifies residency:stop:patience
  it('comes by KILL where TERM is ignored', async () => {
    await using server = await start()
    await server.words('m', ['stubborn:true'])
    expect((await server.chat('m', ask)).status).toBe(200)
    const [loaded] = await server.recorded('m')
    await server.server.close()
    expect(await isRunning(loaded?.pid ?? 0)).toBe(false)
  })

  it('follows that of a server that is killed', async () => {
    await using dir = await tempDir()
    installBackend(path, dir.join('backends', 'reverse-words'))
    await mkdir(dir.join('models'))
    const model = { name: 'm', backend: 'reverse-words', known_usecases: ['chat'], parameters: { model: 'm.bin' } }
    await writeFile(dir.join('models', 'm.yaml'), JSON.stringify(model))
    await using server = await startBuiltServer({ folder: dir.path, flags: ['--backends-path', dir.join('backends')] })
    expect(await readAnswer(await postChat(server.url, 'm', ask))).toBe(ANSWER)
    const pids = server.backends()
    expect(pids).toHaveLength(1)
    await server.kill()
    for (const pid of pids) await eventually(async () => expect(await isRunning(pid)).toBe(false))
  })

  it('ends with the process that started it', async () => {
    await using server = await start()
    await using host = await startPythonHost(path, [join(server.backend, 'run.sh')])
    expect(await isRunning(host.backendPid)).toBe(true)
    host.kill()
    await eventually(async () => expect(await isRunning(host.backendPid)).toBe(false))
  })
})

function deltaCalls(event: unknown): { function: { name?: string; arguments?: string } }[] {
  const { choices = [] } = event as { choices?: { delta?: { tool_calls?: [] } }[] }
  return choices[0]?.delta?.tool_calls ?? []
}
