import { expect, it } from 'vitest'
import { ENUMS, MESSAGES, RPCS } from './contract-table.ts'
import { describe as describeFile, printEnums, printMessages, printRpcs } from './descriptor.ts'

const backend = describeFile('backend.proto')

// verifies model-file:backend:contract
it('has the package and the service that existing backends serve', () => {
  expect(backend.package).toBe('backend')
  expect(backend.service.map(({ name }) => name)).toEqual(['Backend'])
  expect(backend.syntax).toBe('proto3')
})

// verifies model-file:backend:contract
it('has exactly the rpcs of the table, with their types and directions', () => {
  expect(printRpcs(backend).sort()).toEqual([...RPCS].sort())
  expect(RPCS).toHaveLength(52)
})

it('has exactly the messages of the table', () => {
  expect(Object.keys(printMessages(backend)).sort()).toEqual(Object.keys(MESSAGES).sort())
})

it.each(Object.entries(MESSAGES))(
  '%s has exactly the fields of the table: number, name, type, label',
  (name, fields) => {
    expect(printMessages(backend)[name]).toBe(fields)
  },
)

it('has exactly the enums of the table', () => {
  expect(printEnums(backend)).toEqual(ENUMS)
})

it('packs repeated numbers, as proto3 does by default', () => {
  const options = backend.messageType.flatMap(({ field }) => field.map((one) => one.options?.packed))
  expect(options.filter((packed) => packed === false)).toEqual([])
})

// verifies model-file:backend:extensions-apart
it('keeps our own rpcs out of the contract, in a package of ours', () => {
  const extensions = describeFile('extensions.proto')
  expect(extensions.package).toBe('svc.backend.v1')
  expect(printRpcs(extensions)).toEqual([
    'Capabilities(CapabilitiesRequest) CapabilitiesReply',
    'SaveSlot(SaveSlotRequest) SaveSlotReply',
    'RestoreSlot(RestoreSlotRequest) RestoreSlotReply',
    'Decide(DecideRequest) DecideReply',
    'PromptLogprobs(PromptLogprobsRequest) PromptLogprobsReply',
  ])
})
