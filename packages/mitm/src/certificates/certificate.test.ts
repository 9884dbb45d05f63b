import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:tls'
import { promisify } from 'node:util'
import { type TempDir, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { openAuthority } from './authority.ts'
import type { CaStore } from './ca-store.ts'
import type { KeyedCertificate } from './certificate.ts'

const run = promisify(execFile)
const DAY_MS = 24 * 3_600_000

/** A store in memory. */
function memoryStore(pair?: KeyedCertificate): CaStore & { pair: KeyedCertificate | undefined } {
  return {
    pair,
    async read() {
      return this.pair
    },
    async create(created) {
      this.pair ??= created
    },
  }
}

const readLeaf = (chain: { readonly certificate: string }) => new X509Certificate(chain.certificate)

it.each([
  ['api.listed.example', ['-verify_hostname', 'api.listed.example']],
  ['10.1.2.3', ['-verify_ip', '10.1.2.3']],
  ['2001:db8::1:0', ['-verify_ip', '2001:db8::1:0']],
  ['::1', ['-verify_ip', '::1']],
  [`${'a'.repeat(60)}.${'b'.repeat(60)}.example`, ['-verify_hostname', `${'a'.repeat(60)}.${'b'.repeat(60)}.example`]],
])('openssl accepts the leaf certificate of %s strictly', async (host, check) => {
  await using dir = await tempDir()
  const authority = await openAuthority({ store: memoryStore() })
  await writeFile(dir.join('ca.crt'), authority.certificate)
  await writeFile(dir.join('leaf.crt'), authority.issueLeaf(host).certificate)
  const args = [
    'verify',
    '-x509_strict',
    '-purpose',
    'sslserver',
    '-CAfile',
    dir.join('ca.crt'),
    ...check,
    dir.join('leaf.crt'),
  ]
  expect((await run('openssl', args)).stdout).toMatch(/leaf\.crt: OK/)
})

it('makes an authority that can only sign leaf certificates', async () => {
  await using dir = await tempDir()
  const { certificate, validUntil } = await openAuthority({ store: memoryStore(), organization: 'Größe' })
  await writeFile(dir.join('ca.crt'), certificate)
  const { stdout } = await run('openssl', ['x509', '-in', dir.join('ca.crt'), '-noout', '-text', '-nameopt', 'utf8'])
  expect(stdout).toMatch(/X509v3 Basic Constraints: critical\s+CA:TRUE, pathlen:0/)
  expect(stdout).toMatch(/X509v3 Key Usage: critical\s+Digital Signature, Certificate Sign, CRL Sign/)
  expect(stdout).toContain('prime256v1')
  expect(stdout).toMatch(/Subject: .*Größe MITM Proxy CA/)
  expect(validUntil.getTime()).toBeGreaterThan(Date.now() + 3650 * DAY_MS)
})

it('names the host in the leaf certificate alone, with its purpose and a serial number of its own', async () => {
  const authority = await openAuthority({ store: memoryStore() })
  const leaf = readLeaf(authority.issueLeaf('api.listed.example'))
  expect(leaf.subjectAltName).toBe('DNS:api.listed.example')
  expect(leaf.subject).toBeFalsy()
  expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
  expect(leaf.serialNumber).toHaveLength(32)
  expect(leaf.serialNumber).not.toBe(readLeaf(authority.issueLeaf('other.example')).serialNumber)
  const days = (Date.parse(leaf.validTo) - Date.now()) / DAY_MS
  expect(days).toBeGreaterThan(29.9)
  expect(days).toBeLessThanOrEqual(30)
})

it('keeps leaf certificates until a day before their end, at most 1,000', async () => {
  let time = Date.now()
  const authority = await openAuthority({ store: memoryStore(), now: () => time })
  const first = authority.issueLeaf('a.example')
  time += 28.9 * DAY_MS
  expect(authority.issueLeaf('a.example')).toBe(first)
  time += 0.2 * DAY_MS
  const second = authority.issueLeaf('a.example')
  expect(second).not.toBe(first)
  for (let index = 0; index < 1000; index += 1) authority.issueLeaf(`h${index}.example`)
  expect(authority.issueLeaf('h999.example')).toBe(authority.issueLeaf('h999.example'))
  expect(authority.issueLeaf('a.example')).not.toBe(second)
})

it('ends leaf certificates with the authority', async () => {
  let time = Date.now()
  const authority = await openAuthority({ store: memoryStore(), now: () => time })
  time = authority.validUntil.getTime() - 2 * DAY_MS
  const leaf = authority.issueLeaf('a.example')
  expect(Date.parse(readLeaf(leaf).validTo)).toBe(authority.validUntil.getTime())
  time += 1.5 * DAY_MS
  expect(authority.issueLeaf('a.example')).toBe(leaf)
})

it('refuses an expired authority, and one of tomorrow', async () => {
  const store = memoryStore()
  const { validUntil } = await openAuthority({ store })
  const unusable = { kind: 'precondition_failed', code: 'mitm_authority_unusable' }
  await expect(openAuthority({ store, now: () => validUntil.getTime() + 1000 })).rejects.toMatchObject(unusable)
  await expect(openAuthority({ store, now: () => Date.now() - DAY_MS })).rejects.toMatchObject(unusable)
})

/** Makes an authority with openssl. */
async function makeForeign(dir: TempDir, key: readonly string[], more: readonly string[]): Promise<KeyedCertificate> {
  const [keyFile, certificate] = [dir.join('ca.key'), dir.join('ca.crt')]
  await run('openssl', [...key, '-out', keyFile])
  const subject = ['-key', keyFile, '-subj', '/O=Own/CN=own root', '-days', '30', '-out', certificate]
  await run('openssl', ['req', '-x509', '-new', ...subject, ...more])
  return { certificate: await readFile(certificate, 'utf8'), key: await readFile(keyFile, 'utf8') }
}

const RSA = (bits: number) => ['genpkey', '-algorithm', 'RSA', '-pkeyopt', `rsa_keygen_bits:${bits}`]
const ENDS = ['-addext', 'keyUsage=critical,keyCertSign']

it.each<[string, readonly string[], readonly string[], RegExp]>([
  ['P-256 in SEC1 form', ['ecparam', '-name', 'prime256v1', '-genkey', '-noout'], ENDS, /EC PRIVATE KEY/],
  ['P-384', ['ecparam', '-name', 'secp384r1', '-genkey', '-noout'], ENDS, /EC PRIVATE KEY/],
  ['RSA 2048', RSA(2048), ENDS, /BEGIN PRIVATE KEY/],
  ['RSA in PKCS#1 form', ['genrsa', '-traditional'], ENDS, /RSA PRIVATE KEY/],
  ['RSA 2048 signed with SHA-512', RSA(2048), [...ENDS, '-sha512'], /PRIVATE KEY/],
  [
    'P-256 with a key identifier of its own',
    ['ecparam', '-name', 'prime256v1', '-genkey', '-noout'],
    [...ENDS, '-addext', 'subjectKeyIdentifier=0102030405', '-addext', 'authorityKeyIdentifier=none'],
    /EC PRIVATE KEY/,
  ],
  [
    'P-256 without key identifiers',
    ['ecparam', '-name', 'prime256v1', '-genkey', '-noout'],
    [...ENDS, '-addext', 'subjectKeyIdentifier=none', '-addext', 'authorityKeyIdentifier=none'],
    /EC PRIVATE KEY/,
  ],
  ['RSA 2048 without key identifiers', RSA(2048), [...ENDS, '-addext', 'subjectKeyIdentifier=none'], /PRIVATE KEY/],
])('uses an authority of others: %s', async (_name, makeKey, more, form) => {
  await using dir = await tempDir()
  const pair = await makeForeign(dir, makeKey, more)
  expect(pair.key).toMatch(form)
  const authority = await openAuthority({ store: memoryStore(pair) })
  const chain = authority.issueLeaf('a.example')
  await writeFile(dir.join('leaf.crt'), chain.certificate)
  const strict = more.includes('subjectKeyIdentifier=none') ? [] : ['-x509_strict']
  const names = ['-purpose', 'sslserver', '-verify_hostname', 'a.example']
  const args = ['verify', ...strict, ...names, '-CAfile', dir.join('ca.crt'), dir.join('leaf.crt')]
  expect((await run('openssl', args)).stdout).toMatch(/OK/)
  // A handshake as clients make it.
  const server = createServer({ cert: chain.certificate, key: chain.key }, (socket) => socket.end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', servername: 'a.example', ca: authority.certificate })
  await once(client, 'secureConnect')
  expect([client.authorized, client.authorizationError]).toEqual([true, null])
  client.destroy()
  server.close()
})

it.each<[string, readonly string[], RegExp]>([
  ['RSA 1024', RSA(1024), /has 1024 bits; clients ask for 2048/],
  ['Ed25519', ['genpkey', '-algorithm', 'ED25519'], /neither an elliptic-curve nor an RSA key/],
])('refuses an authority whose key is %s', async (_name, makeKey, expected) => {
  await using dir = await tempDir()
  const pair = await makeForeign(dir, makeKey, ENDS)
  await expect(openAuthority({ store: memoryStore(pair) })).rejects.toThrow(expected)
})

it.each<[string, (own: KeyedCertificate, other: KeyedCertificate, leaf: KeyedCertificate) => KeyedCertificate, RegExp]>(
  [
    ['a key of another certificate', (own, other) => ({ ...own, key: other.key }), /does not belong/],
    ['a leaf certificate', (_own, _other, leaf) => leaf, /not one of an authority/],
    ['a broken certificate', (own) => ({ ...own, certificate: 'no certificate' }), /certificate cannot be read/],
    ['a broken key', (own) => ({ ...own, key: 'no key' }), /key cannot be read/],
  ],
)('refuses %s', async (_name, change, expected) => {
  const [own, other] = [memoryStore(), memoryStore()]
  const authority = await openAuthority({ store: own })
  await openAuthority({ store: other })
  if (own.pair === undefined || other.pair === undefined) throw new Error('nothing was stored')
  const store = memoryStore(change(own.pair, other.pair, authority.issueLeaf('a.example')))
  await expect(openAuthority({ store })).rejects.toThrow(expected)
})
