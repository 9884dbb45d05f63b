import { writeFile } from 'node:fs/promises'
import { rootCertificates } from 'node:tls'
import { createTestCa, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { readTrustedAuthorities } from './trusted-authorities.ts'

const [system, extra, ofNode] = [createTestCa().cert, createTestCa().cert, createTestCa().cert]

it('are those of the system, or of Node, without a further file', async () => {
  expect(await readTrustedAuthorities({ system, environment: {}, extraFile: undefined })).toBe(system)
  expect(await readTrustedAuthorities({ system: undefined, environment: {}, extraFile: undefined })).toBeUndefined()
})

it('are those of the system with those of the file', async () => {
  await using dir = await tempDir()
  await writeFile(dir.join('extra'), extra)
  expect(await readTrustedAuthorities({ system, environment: {}, extraFile: dir.join('extra') })).toBe(
    `${system}\n${extra}`,
  )
})

it('are those of Node and of NODE_EXTRA_CA_CERTS where the system has none', async () => {
  await using dir = await tempDir()
  await writeFile(dir.join('extra'), extra)
  await writeFile(dir.join('node'), ofNode)
  const environment = { NODE_EXTRA_CA_CERTS: dir.join('node') }
  const trusted = await readTrustedAuthorities({ system: undefined, environment, extraFile: dir.join('extra') })
  for (const certificate of [extra, ofNode, rootCertificates[0]]) expect(trusted).toContain(certificate)
})

it.each(['missing', 'empty'])('a file that is %s is refused', async (name) => {
  await using dir = await tempDir()
  await writeFile(dir.join('empty'), 'no certificate')
  const asked = readTrustedAuthorities({ system, environment: {}, extraFile: dir.join(name) })
  await expect(asked).rejects.toMatchObject({ code: 'mitm_extra_ca_unusable', kind: 'precondition_failed' })
})
