import { writeFile } from 'node:fs/promises'
import { createTestCa, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { readTrustStore } from './trust-store.ts'

const [system, other, extra] = [createTestCa().cert, createTestCa().cert, createTestCa().cert]

async function start() {
  const folder = await tempDir()
  const warnings: unknown[] = []
  const onEmpty = (variable: string, file: string) => warnings.push([variable, file])
  await writeFile(folder.join('bundle'), `# comment\n${system}`)
  await writeFile(folder.join('other'), other)
  await writeFile(folder.join('extra'), extra)
  await writeFile(folder.join('empty'), 'no certificate')
  const bundles = ['missing', 'empty', 'bundle', 'other'].map((name) => folder.join(name))
  return {
    folder,
    warnings,
    read: (environment: Record<string, string> = {}, files = bundles) =>
      readTrustStore({ environment, onEmpty, bundles: files }),
    [Symbol.asyncDispose]: () => folder.close(),
  }
}

describe('the authorities that are trusted', () => {
  it('are those of the first system file with certificates, and extra ones', async () => {
    await using world = await start()
    expect(await world.read()).toBe(`# comment\n${system}`)
    const trusted = await world.read({ NODE_EXTRA_CA_CERTS: world.folder.join('extra') })
    expect(trusted).toBe(`# comment\n${system}\n${extra}`)
    expect(world.warnings).toEqual([])
  })

  it('are those of SSL_CERT_FILE instead', async () => {
    await using world = await start()
    expect(await world.read({ SSL_CERT_FILE: world.folder.join('other') })).toBe(other)
  })

  it("are Node's own where the system has none", async () => {
    await using world = await start()
    expect(await world.read({ NODE_EXTRA_CA_CERTS: world.folder.join('extra') }, [])).toBeUndefined()
  })

  it('are the others when a named file holds no certificates, which is reported', async () => {
    await using world = await start()
    const [SSL_CERT_FILE, NODE_EXTRA_CA_CERTS] = [world.folder.join('empty'), world.folder.join('missing')]
    expect(await world.read({ SSL_CERT_FILE, NODE_EXTRA_CA_CERTS })).toBe(`# comment\n${system}`)
    expect(world.warnings).toEqual([
      ['SSL_CERT_FILE', SSL_CERT_FILE],
      ['NODE_EXTRA_CA_CERTS', NODE_EXTRA_CA_CERTS],
    ])
  })
})
