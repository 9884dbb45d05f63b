import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { databasePlaces } from '../../db/__fixtures__/places.ts'
import { useDatabase } from '../loads/__fixtures__/use-database.ts'
import { createSharedDocuments, toRevision } from './shared-documents.ts'

const places = await databasePlaces()

describe.each(places)('shared documents on $name', ({ create }) => {
  const database = useDatabase(create)

  it('are written, replaced and deleted, and each kind has its own', async () => {
    const [models, others] = [createSharedDocuments(database(), 'a'), createSharedDocuments(database(), 'b')]
    expect(await models.read('m')).toBeUndefined()
    expect([await models.write('m', 'one'), await models.write('m', 'two', { details: '{}' })]).toEqual([1, 2])
    const revision = toRevision('two')
    expect(await models.read('m')).toEqual({
      name: 'm',
      content: 'two',
      details: '{}',
      revision,
      version: 2,
      isDeleted: false,
    })
    expect(await models.remove('m')).toBe(3)
    await models.write('l', 'three')
    expect(await models.list()).toEqual([
      { name: 'l', revision: toRevision('three'), version: 1, isDeleted: false },
      { name: 'm', revision: '', version: 3, isDeleted: true },
    ])
    expect(await others.list()).toEqual([])
    expect(await models.write('m', 'four', { over: 3 })).toBe(4)
  })

  it('are written over the version that the writer knows, by one of several writers', async () => {
    const documents = createSharedDocuments(database(), 'races')
    const added = await Promise.all(['one', 'two'].map((text) => documents.write('m', text, { over: 0 })))
    expect(added.filter((version) => version !== undefined)).toEqual([1])
    const changed = await Promise.all(['a', 'b', 'c'].map((text) => documents.write('m', text, { over: 1 })))
    expect(changed.filter((version) => version !== undefined)).toEqual([2])
    expect(await documents.remove('m', { over: 1 })).toBeUndefined()
    expect(await documents.write('none', 'x', { over: 4 })).toBeUndefined()
  })

  it('that were deleted are forgotten after a time', async () => {
    const documents = createSharedDocuments(database(), 'marks')
    await documents.write('kept', 'x')
    await documents.remove('gone')
    expect(await documents.forgetDeleted(60_000)).toBe(0)
    await eventually(async () => expect(await documents.forgetDeleted(0)).toBe(1))
    expect(await documents.list()).toHaveLength(1)
  })
})
