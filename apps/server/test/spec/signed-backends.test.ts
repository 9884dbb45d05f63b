import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startFileOrigin, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { computeDigest, makeImage, mockBackendFiles, startFakeRegistry } from '../support/registry.ts'
import { startTestServer } from '../support/server.ts'
import { IDENTITY, ISSUER, type OlderSignature, startSigner, type TestSigner } from '../support/signer.ts'

const POLICY = { issuer: ISSUER, identity: IDENTITY }
const IMAGE = makeImage([await mockBackendFiles('signed')])
const DIGEST = computeDigest(IMAGE.manifest)

interface Case {
  readonly verification?: Readonly<Record<string, string>> | undefined
  readonly bundles?: ((signer: TestSigner) => Promise<readonly string[]>) | undefined
  readonly place?: 'referrers' | 'tag'
  /** A signature of the older form. */
  readonly older?: ((signer: TestSigner) => Promise<OlderSignature>) | undefined
  readonly flags?: readonly string[]
  readonly hasRoot?: boolean
}

/** Installs the image and gives the job with the names of the folders. */
async function install({ verification, bundles, place, older, flags = [], hasRoot = true }: Case) {
  await using dir = await tempDir()
  await using signer = await startSigner()
  await using registry = await startFakeRegistry()
  await registry.push(IMAGE, 'o/b:1')
  registry.attach('o/b', DIGEST, (await bundles?.(signer)) ?? [], place)
  if (older !== undefined) registry.attachOlder('o/b', DIGEST, await older(signer))
  const entries = [{ name: 'b', uri: `${registry.host}/o/b:1` }]
  await using origin = await startFileOrigin({ files: { '/index.yaml': Buffer.from(stringify(entries)) } })
  await writeFile(dir.join('root.json'), signer.trustedRoot)
  const gallery = { name: 'test', url: `${origin.origin}/index.yaml`, ...(verification && { verification }) }
  await using server = await startTestServer({
    flags: [
      `--backend-galleries=${JSON.stringify([gallery])}`,
      '--content-url-allow=127.0.0.1',
      ...(hasRoot ? [`--sigstore-trusted-root=${dir.join('root.json')}`] : []),
      ...flags,
    ],
  })
  const { id } = (await server.post('/backends/apply', { id: 'b' })).json() as { id: string }
  for (;;) {
    const job = (await server.call(`/backends/jobs/${id}`)).json() as { processed: boolean; error?: string }
    const folders = (await readdir(join(server.folder, 'backends')).catch(() => [])).filter((name) => name[0] !== '.')
    const fetched = registry.requests.some(({ path }) => path.includes(`/blobs/${[...IMAGE.blobs.keys()][1]}`))
    if (job.processed) return { error: job.error, folders, fetched }
  }
}

const signed = async (signer: TestSigner): Promise<readonly string[]> => [await signer.sign({ digest: DIGEST })]

describe('a backend whose gallery names its signer', () => {
  it.each<[string, Case]>([
    ['in the list of referrers', { verification: POLICY, bundles: signed }],
    ['under the tag of the digest', { verification: POLICY, bundles: signed, place: 'tag' }],
    [
      'by expressions, after others that do not count, since a time',
      {
        verification: {
          issuer_regex: 'https://issuer\\..*',
          identity_regex: 'https://code\\.example/.*',
          not_before: '2020-01-01T00:00:00Z',
        },
        bundles: async (signer) => [
          '{}',
          await signer.sign({ digest: `sha256:${'1'.repeat(64)}` }),
          await signer.sign({ digest: DIGEST }),
        ],
      },
    ],
    ['of the older form', { verification: POLICY, older: (signer) => signer.signOlder({ digest: DIGEST }) }],
    ['with integrity required', { verification: POLICY, bundles: signed, flags: ['--require-backend-integrity'] }],
  ])('is installed with its signature %s', async (_what, options) => {
    expect(await install(options)).toEqual({ error: undefined, folders: ['b'], fetched: true })
  })

  it.each<[string, Case, string]>([
    ['no signature', { verification: POLICY }, 'it has no signature'],
    [
      'a signature of another image',
      { verification: POLICY, bundles: async (signer) => [await signer.sign({ digest: `sha256:${'1'.repeat(64)}` })] },
      'it signs another image',
    ],
    [
      'another signer',
      {
        verification: POLICY,
        bundles: async (signer) => [await signer.sign({ digest: DIGEST, identity: `${IDENTITY}/evil` })],
      },
      'its signer is',
    ],
    [
      'a signer of which the expression matches a part',
      {
        verification: { issuer: ISSUER, identity_regex: 'https://code\\.example/build' },
        bundles: signed,
      },
      'its signer is',
    ],
    [
      'another issuer',
      {
        verification: POLICY,
        bundles: async (signer) => [await signer.sign({ digest: DIGEST, issuer: 'https://evil.example' })],
      },
      'its issuer is',
    ],
    [
      'a signature of another authority',
      {
        verification: POLICY,
        bundles: async () => {
          await using other = await startSigner()
          return [await other.sign({ digest: DIGEST })]
        },
      },
      'not signed as its gallery asks',
    ],
    [
      'a changed statement',
      {
        verification: POLICY,
        bundles: async (signer) => {
          const other = JSON.parse(await signer.sign({ digest: `sha256:${'1'.repeat(64)}` }))
          const right = JSON.parse(await signer.sign({ digest: DIGEST }))
          other.dsseEnvelope.payload = right.dsseEnvelope.payload
          return [JSON.stringify(other)]
        },
      },
      'not signed as its gallery asks',
    ],
    [
      'an attestation about something else',
      {
        verification: POLICY,
        bundles: async (signer) => [await signer.sign({ digest: DIGEST, predicateType: 'https://spdx.dev/Document' })],
      },
      'says nothing of an origin',
    ],
    [
      'a signature that is too old',
      { verification: { ...POLICY, not_before: '2100-01-01T00:00:00Z' }, bundles: signed },
      'before the time',
    ],
    [
      'a signature of the older form for another image',
      { verification: POLICY, older: (signer) => signer.signOlder({ digest: `sha256:${'1'.repeat(64)}` }) },
      'it signs another image',
    ],
    [
      'a signature of the older form by another signer',
      {
        verification: POLICY,
        older: (signer) => signer.signOlder({ digest: DIGEST, identity: `${IDENTITY}/evil` }),
      },
      'its signer is',
    ],
    [
      'a signature of the older form with the payload of another one',
      {
        verification: POLICY,
        older: async (signer) => ({
          ...(await signer.signOlder({ digest: `sha256:${'1'.repeat(64)}` })),
          payload: (await signer.signOlder({ digest: DIGEST })).payload,
        }),
      },
      'not signed as its gallery asks',
    ],
    [
      'a signature of the older form without its log entry',
      {
        verification: POLICY,
        older: async (signer) => {
          const { payload, annotations } = await signer.signOlder({ digest: DIGEST })
          return { payload, annotations: { ...annotations, 'dev.sigstore.cosign/bundle': '{}' } }
        },
      },
      'it has no signature',
    ],
    ['no trust root', { verification: POLICY, bundles: signed, hasRoot: false }, 'set --sigstore-trusted-root'],
    ['a gallery without an identity', { verification: { issuer: ISSUER }, bundles: signed }, 'either identity or'],
    ['integrity required and no signer', { flags: ['--require-backend-integrity'] }, '--require-backend-integrity'],
  ])('is refused for %s before anything of it is fetched', async (_what, options, message) => {
    expect(await install(options)).toEqual({ error: expect.stringContaining(message), folders: [], fetched: false })
  })

  it('needs a trust root that is one', async () => {
    await using dir = await tempDir()
    await writeFile(dir.join('root.json'), 'no json')
    const start = startTestServer({ flags: [`--sigstore-trusted-root=${dir.join('root.json')}`] })
    await expect(start).rejects.toThrow('is not a trust root')
  })
})
