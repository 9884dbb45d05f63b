import { readFile, writeFile } from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createKeyFiles } from '../key-files/key-files.ts'
import { parseModelFile } from './config-file.ts'
import { createKeyFileGate, type GatedFile, type KeyFileGate } from './key-file-gate.ts'
import { openWrittenFiles } from './written-files.ts'

const SECRETS = '/srv/secrets'
const warnings: string[] = []
const logger = {
  debug: () => undefined,
  info: () => undefined,
  error: () => undefined,
  warn: (_fields: object, message: string) => void warnings.push(message),
}

async function openGate(folder: string): Promise<KeyFileGate> {
  const places = { secretsPath: SECRETS, holdsFile: async () => false, reserves: () => false }
  const written = await openWrittenFiles({ dataPath: folder, modelsPath: folder, logger })
  return createKeyFileGate({ keyFiles: createKeyFiles(places), written })
}

function toFile(file: string, keyFile: string | undefined, url = 'https://one.example/v1'): GatedFile {
  const key = keyFile === undefined ? '' : `\n  api_key_file: ${keyFile}`
  const text = `name: m\nbackend: cloud-proxy\nproxy:\n  upstream_url: ${url}${key}\n`
  return { file, text, models: parseModelFile(text, { file, folder: '', modifiedAt: 0 }).models }
}

/** Whether a store would load the file. */
function loads(gate: KeyFileGate, { file, text, models }: GatedFile): boolean {
  return gate.filter({ models, problems: [] }, { file, content: Buffer.from(text) }).models.length > 0
}

describe('the gate of key files', () => {
  it('knows what it admitted after a restart, and takes every other content for an operator’s', async () => {
    await using folder = await tempDir()
    const inside = toFile('m.yaml', `${SECRETS}/key`)
    await (await openGate(folder.path)).admit(inside)
    const gate = await openGate(folder.path)
    expect(loads(gate, inside)).toBe(true)
    expect(loads(gate, toFile('m.yaml', '/etc/key'))).toBe(true)
    expect(loads(gate, toFile('m.yaml', '/etc/key', 'https://two.example'))).toBe(true)
    await expect(gate.admit(toFile('m.yaml', '/etc/key'), inside)).rejects.toMatchObject({ code: 'key_file_refused' })
  })

  it('keeps the content before, which a kill may leave', async () => {
    await using folder = await tempDir()
    const gate = await openGate(folder.path)
    const operators = toFile('m.yaml', '/etc/key')
    const first = { ...operators, text: `${operators.text}pinned: true\n` }
    const second = toFile('m.yaml', `${SECRETS}/key`)
    await gate.admit(first, operators)
    await gate.admit(second, first)
    expect([loads(gate, first), loads(gate, second)]).toEqual([true, true])
    // A grant of the content before holds only for that content.
    await expect(gate.admit(first, second)).rejects.toMatchObject({ code: 'key_file_refused' })
  })

  it.each<[string, GatedFile]>([
    ['another file', toFile('m.yaml', '/etc/other')],
    ['another host', toFile('m.yaml', '/etc/key', 'https://two.example/v1')],
    ['another port', toFile('m.yaml', '/etc/key', 'https://one.example:8443/v1')],
    ['plain HTTP', toFile('m.yaml', '/etc/key', 'http://one.example/v1')],
    ['a host that looks alike', toFile('m.yaml', '/etc/key', 'https://one.example.two.example/v1')],
    ['a host behind a name', toFile('m.yaml', '/etc/key', 'https://one.example@two.example/v1')],
    ['a host of the same letters', toFile('m.yaml', '/etc/key', 'https://оne.example/v1')],
    ['a host with a dot behind it', toFile('m.yaml', '/etc/key', 'https://one.example./v1')],
    ['another scheme', toFile('m.yaml', '/etc/key', 'ws://one.example/v1')],
    ['an unknown scheme', toFile('m.yaml', '/etc/key', 'unix://one.example/v1')],
  ])('lets a change of an operator’s file not name %s', async (_what, change) => {
    await using folder = await tempDir()
    const gate = await openGate(folder.path)
    const operators = toFile('m.yaml', '/etc/key')
    await expect(gate.admit(change, operators)).rejects.toMatchObject({ kind: 'forbidden', code: 'key_file_refused' })
    await gate.admit(toFile('m.yaml', '/etc/key', 'https://one.example/other'), operators)
  })

  it('treats a file that an earlier version has installed as one of a gallery', async () => {
    await using folder = await tempDir()
    const gate = await openGate(folder.path)
    await writeFile(folder.join('._gallery_m.yaml'), 'name: m\n')
    expect(loads(gate, toFile('m.yaml', '/etc/key'))).toBe(false)
    expect(loads(gate, toFile('m.yaml', `${SECRETS}/key`))).toBe(true)
    expect(loads(gate, toFile('other.yaml', '/etc/key'))).toBe(true)
    await expect(gate.admit(toFile('n.yaml', '/etc/key'), toFile('m.yaml', '/etc/key'))).rejects.toThrow(
      '--secrets-path',
    )
  })

  it('knows a new file without a key file, so that the hand of an operator shows', async () => {
    await using folder = await tempDir()
    const gate = await openGate(folder.path)
    await gate.admit(toFile('m.yaml', undefined))
    await writeFile(folder.join('._gallery_m.yaml'), 'name: m\n')
    expect(loads(gate, toFile('m.yaml', '/etc/key'))).toBe(true)
  })

  it('says why a file of the server is not loaded', async () => {
    await using folder = await tempDir()
    await writeFile(folder.join('._gallery_m.yaml'), 'name: m\n')
    const { models, text } = toFile('m.yaml', '/etc/key')
    const gate = await openGate(folder.path)
    expect(gate.filter({ models, problems: [] }, { file: 'm.yaml', content: Buffer.from(text) }).problems).toEqual([
      {
        file: 'm.yaml',
        key: 'proxy.api_key_file',
        reason: expect.stringContaining('came from a gallery or over the API'),
      },
    ])
  })

  it('is not stopped by a record that cannot be read', async () => {
    await using folder = await tempDir()
    for (const text of ['{', '[]', '{"m.yaml": 1}', '{"m.yaml": [{"sha256": 1}]}']) {
      await writeFile(folder.join('written-models.json'), text)
      const gate = await openGate(folder.path)
      expect(warnings.splice(0)).toEqual(['record of written model files cannot be read'])
      await gate.admit(toFile('m.yaml', `${SECRETS}/key`))
      expect(JSON.parse(await readFile(folder.join('written-models.json'), 'utf8'))).toHaveProperty(['m.yaml'])
    }
  })

  it('forgets files that are gone, and holds a limited number', async () => {
    await using folder = await tempDir()
    const gate = await openGate(folder.path)
    await gate.admit(toFile('gone.yaml', `${SECRETS}/key`))
    await gate.forget('gone.yaml')
    await Promise.all(Array.from({ length: 1100 }, (_, index) => gate.admit(toFile(`${index}.yaml`, `${SECRETS}/key`))))
    const record: unknown = JSON.parse(await readFile(folder.join('written-models.json'), 'utf8'))
    expect(Object.keys(record as object)).toHaveLength(1000)
    expect(record).not.toHaveProperty(['gone.yaml'])
    expect(record).toHaveProperty(['1099.yaml'])
  })
})
