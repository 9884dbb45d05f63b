import { eventually } from '@svc/test-kit'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

const keys = { known_usecases: ['embeddings'], embeddings: true }
const POLL = { pollIntervalMs: 20 }

const NOTES: Readonly<Record<string, string>> = {
  'rivers.md': '# Rivers\n\nThe Nile is the longest river of Africa and flows through Egypt to the sea.',
  'bread.html':
    '<html><h1>Bread</h1><p>Flour, water, salt and yeast make a loaf of bread.</p><script>x()</script></html>',
  'stars.json': '{"stars": [{"name": "Sirius", "colour": "white"}, {"name": "Betelgeuse", "colour": "red"}]}',
  'verse.txt': 'Shall I compare thee to a summer day?',
}

let server: TestServer
let client: OpenAI

beforeAll(async () => {
  server = await startTestServer({ flags: ['--vector-store-model', 'e'] })
  const patterns = [{ name: 'TICKET', match: 'tick-[0-9]{4}', action: 'block' }]
  const detection = { builtins: ['email'], patterns, default_action: 'mask' }
  await server.model('patterns', {}, { backend: 'pattern', pii_detection: detection })
  await server.model('e', { embeddingDimension: 256 }, { ...keys, pii: { enabled: true, detectors: ['patterns'] } })
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
})
afterAll(() => server.close())

const upload = (name: string, text = NOTES[name] ?? '') =>
  client.files.create({ file: new File([text], name), purpose: 'assistants' })

/** Makes a store of all notes. */
async function makeStore(): Promise<{ readonly id: string; readonly ids: Readonly<Record<string, string>> }> {
  const store = await client.vectorStores.create({ name: 'notes' })
  const files = await Promise.all(Object.keys(NOTES).map((name) => upload(name)))
  await client.vectorStores.fileBatches.createAndPoll(store.id, { file_ids: files.map(({ id }) => id) }, POLL)
  return { id: store.id, ids: Object.fromEntries(files.map(({ filename, id }) => [filename, id])) }
}

async function refused(act: Promise<unknown>): Promise<{ status: number; code: string; param: string | null }> {
  const error = await act.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(OpenAI.APIError)
  const { status, code, param } = error as { status: number; code: string; param: string | null }
  return { status, code, param }
}

describe('files', () => {
  // verifies files:route:files
  it('are uploaded, listed, read and deleted', async () => {
    const bytes = Buffer.from([0, 1, 2, 255, 254])
    const file = await client.files.create({
      file: await toFile(bytes, '../../etc/pass"wd.bin'),
      purpose: 'user_data',
      expires_after: { anchor: 'created_at', seconds: 3600 },
    })
    expect(file).toMatchObject({
      id: expect.stringMatching(/^file-[0-9a-f]{44}$/) as string,
      object: 'file',
      bytes: 5,
      purpose: 'user_data',
      status: 'processed',
      expires_at: file.created_at + 3600,
    })
    expect(await client.files.retrieve(file.id)).toEqual(file)
    expect(await client.files.waitForProcessing(file.id)).toEqual(file)
    const content = await client.files.content(file.id)
    expect(Buffer.from(await content.arrayBuffer())).toEqual(bytes)
    expect(content.headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''[\w.%-]+$/)
    expect(content.headers.get('x-content-type-options')).toBe('nosniff')
    const listed = await client.files.list({ purpose: 'user_data' })
    expect(listed.data).toEqual([file])
    expect(await client.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true })
    expect(await refused(client.files.retrieve(file.id))).toMatchObject({ status: 404, param: 'file_id' })
    expect(await refused(client.files.content(file.id))).toMatchObject({ status: 404 })
    expect(await refused(client.files.delete(file.id))).toMatchObject({ status: 404 })
  })

  // verifies files:list:pages
  it('are listed page by page, in both orders', async () => {
    const ids: string[] = []
    for (let index = 0; index < 7; index += 1) {
      const file = await client.files.create({ file: new File(['x'], `page-${index}`), purpose: 'evals' })
      ids.push(file.id)
    }
    for (const order of ['asc', 'desc'] as const) {
      const seen: string[] = []
      for await (const { id } of client.files.list({ purpose: 'evals', limit: 2, order })) seen.push(id)
      expect([...seen].sort()).toEqual([...ids].sort())
    }
    const get = async (query: string) => (await server.call(`/v1/files?purpose=evals&${query}`)).json()
    const all = (await get('limit=100&order=asc')) as { data: { id: string }[]; first_id: string; has_more: boolean }
    const sorted = all.data.map(({ id }) => id)
    expect(all).toMatchObject({ object: 'list', first_id: sorted[0], last_id: sorted[6], has_more: false })
    expect(await get(`order=asc&limit=2&before=${sorted[5]}`)).toMatchObject({
      data: [{ id: sorted[3] }, { id: sorted[4] }],
      has_more: true,
    })
    for (const wrong of ['after=file-00', 'before=x%00y', 'order=up', 'purpose=none'])
      expect((await server.call(`/v1/files?${wrong}`)).status, wrong).toBe(400)
  })

  it('refuses forms that do not fit', async () => {
    expect(await refused(upload('empty.txt', ''))).toMatchObject({ status: 400, param: 'file' })
    const purpose = 'secrets' as 'evals'
    expect(await refused(client.files.create({ file: new File(['x'], 'a'), purpose }))).toMatchObject({
      status: 400,
      param: 'purpose',
    })
    for (const seconds of [10, 1e9]) {
      const expires_after = { anchor: 'created_at' as const, seconds }
      expect(
        await refused(client.files.create({ file: new File(['x'], 'a'), purpose: 'evals', expires_after })),
      ).toMatchObject({ status: 400 })
    }
    expect(
      await refused(client.files.create({ file: new File(['x'], 'n'.repeat(1025)), purpose: 'evals' })),
    ).toMatchObject({
      status: 400,
    })
    expect((await server.post('/v1/files', { purpose: 'evals' })).status).toBe(400)
  })
})

describe('vector stores', () => {
  // verifies files:route:vector-stores
  it('are made, changed, listed and deleted', async () => {
    const store = await client.vectorStores.create({
      name: 'first',
      description: 'of many',
      metadata: { team: 'a' },
      expires_after: { anchor: 'last_active_at', days: 2 },
    })
    expect(store).toMatchObject({
      object: 'vector_store',
      status: 'completed',
      file_counts: { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0 },
      usage_bytes: 0,
      metadata: { team: 'a' },
      expires_after: { anchor: 'last_active_at', days: 2 },
      expires_at: (store.last_active_at ?? 0) + 172_800,
    })
    const changed = await client.vectorStores.update(store.id, { name: 'renamed', expires_after: null })
    expect(changed).toMatchObject({ name: 'renamed', metadata: { team: 'a' }, expires_at: null })
    expect(await client.vectorStores.retrieve(store.id)).toEqual(changed)
    const listed = await client.vectorStores.list({ limit: 1 })
    expect(listed.data).toEqual([changed])
    expect(await client.vectorStores.delete(store.id)).toEqual({
      id: store.id,
      object: 'vector_store.deleted',
      deleted: true,
    })
    expect(await refused(client.vectorStores.retrieve(store.id))).toMatchObject({ status: 404 })
  })

  // verifies files:search:finds
  it('find the chunks of files of every type', async () => {
    const { id, ids } = await makeStore()
    expect(await client.vectorStores.retrieve(id)).toMatchObject({
      status: 'completed',
      file_counts: { completed: 4, total: 4 },
      embedding_model: 'e',
    })
    const find = async (query: string) => (await client.vectorStores.search(id, { query, max_num_results: 1 })).data
    expect(await find('the longest river of Africa')).toEqual([
      {
        file_id: ids['rivers.md'],
        filename: 'rivers.md',
        score: expect.closeTo(0.7, 0) as number,
        attributes: {},
        content: [{ type: 'text', text: NOTES['rivers.md'] }],
      },
    ])
    expect(await find('a loaf of bread')).toMatchObject([
      { filename: 'bread.html', content: [{ text: '# Bread\n\nFlour, water, salt and yeast make a loaf of bread.' }] },
    ])
    expect(await find('name: Sirius colour: white')).toMatchObject([{ filename: 'stars.json' }])
    const both = await client.vectorStores.search(id, {
      query: ['longest river of Africa', 'summer day'],
      max_num_results: 2,
      rewrite_query: true,
    })
    expect(both.data.map(({ filename }) => filename).sort()).toEqual(['rivers.md', 'verse.txt'])
    const far = await client.vectorStores.search(id, { query: 'river', ranking_options: { score_threshold: 0.99 } })
    expect(far.data).toEqual([])
    const content = await client.vectorStores.files.content(ids['verse.txt'] ?? '', { vector_store_id: id })
    expect(content.data).toEqual([{ type: 'text', text: NOTES['verse.txt'] }])
  })

  // verifies files:search:filters
  it('heed the filter of the model that embeds', async () => {
    const store = await client.vectorStores.create({ name: 'private' })
    const texts = ['Ask ada@lab.example for bread', 'tick-1234 is about bread']
    const files = await Promise.all(texts.map((text, index) => upload(`private-${index}.txt`, text)))
    const ids = files.map(({ id }) => id)
    await client.vectorStores.fileBatches.createAndPoll(store.id, { file_ids: ids }, POLL)
    const [masked, blocked] = await Promise.all(
      ids.map((id) => client.vectorStores.files.retrieve(id, { vector_store_id: store.id })),
    )
    expect([masked?.status, blocked?.status]).toEqual(['completed', 'failed'])
    expect(blocked?.last_error?.message).toContain('content policy')
    const found = await client.vectorStores.search(store.id, { query: 'bread' })
    expect(found.data.flatMap(({ content }) => content.map(({ text }) => text))).toEqual([texts[0]])
    expect(await refused(client.vectorStores.search(store.id, { query: 'tick-1234' }))).toMatchObject({ status: 400 })
  })

  it('filter by attributes, as they are now', async () => {
    const store = await client.vectorStores.create({})
    const years = [1999, 2005, 2020]
    const files = await Promise.all(years.map((year) => upload(`${year}.txt`, `A note about rivers of ${year}.`)))
    for (const [index, file] of files.entries()) {
      await client.vectorStores.files.createAndPoll(
        store.id,
        {
          file_id: file.id,
          attributes: { year: years[index] ?? 0, lang: index === 0 ? 'de' : 'en', draft: index === 2 },
        },
        POLL,
      )
    }
    const find = async (filters: object) => {
      const found = await client.vectorStores.search(store.id, { query: 'rivers', filters: filters as never })
      return found.data.map(({ filename }) => filename.slice(0, 4)).sort()
    }
    expect(await find({ type: 'eq', key: 'lang', value: 'en' })).toEqual(['2005', '2020'])
    expect(await find({ type: 'ne', key: 'lang', value: 'en' })).toEqual(['1999'])
    expect(await find({ type: 'gte', key: 'year', value: 2005 })).toEqual(['2005', '2020'])
    expect(await find({ type: 'lt', key: 'year', value: '3000' })).toEqual([])
    expect(await find({ type: 'in', key: 'year', value: [1999, 2020] })).toEqual(['1999', '2020'])
    expect(await find({ type: 'nin', key: 'lang', value: ['de'] })).toEqual(['2005', '2020'])
    const either = {
      type: 'or',
      filters: [
        { type: 'eq', key: 'draft', value: true },
        { type: 'eq', key: 'year', value: 1999 },
      ],
    }
    expect(await find(either)).toEqual(['1999', '2020'])
    expect(await find({ type: 'and', filters: [either, { type: 'eq', key: 'lang', value: 'de' }] })).toEqual(['1999'])
    expect(await find({ type: 'eq', key: 'constructor', value: 'x' })).toEqual([])
    const [first] = files
    await client.vectorStores.files.update(first?.id ?? '', { vector_store_id: store.id, attributes: { lang: 'en' } })
    expect(await find({ type: 'eq', key: 'lang', value: 'en' })).toEqual(['1999', '2005', '2020'])
  })

  // verifies files:search:validation
  it('refuse what does not fit, naming the field', async () => {
    const { id } = await client.vectorStores.create({})
    const nest = (depth: number): object =>
      depth === 0 ? { type: 'eq', key: 'a', value: 1 } : { type: 'and', filters: [nest(depth - 1)] }
    const wrong: readonly (readonly [string, object, string])[] = [
      ['/search', {}, 'query'],
      ['/search', { query: [] }, 'query'],
      ['/search', { query: 'a', max_num_results: 51 }, 'max_num_results'],
      ['/search', { query: 'a', ranking_options: { score_threshold: 2 } }, 'ranking_options.score_threshold'],
      ['/search', { query: 'a', filters: { type: 'like', key: 'a', value: 1 } }, 'filters.type'],
      ['/search', { query: 'a', filters: { type: 'in', key: 'a', value: 1 } }, 'filters.value'],
      ['/search', { query: 'a', filters: { type: 'and', filters: [] } }, 'filters.filters'],
      ['/search', { query: 'a', filters: nest(9) }, `filters${'.filters[0]'.repeat(8)}`],
      [
        '/search',
        { query: 'a', filters: { type: 'or', filters: new Array(200).fill({ type: 'eq', key: 'a', value: 1 }) } },
        'filters',
      ],
      ['/files', { file_id: 'file-x', attributes: { a: 'x'.repeat(513) } }, 'attributes.a'],
      [
        '/files',
        { file_id: 'x', attributes: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, n])) },
        'attributes',
      ],
      [
        '/files',
        {
          file_id: 'x',
          chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 99, chunk_overlap_tokens: 0 } },
        },
        'chunking_strategy.static.max_chunk_size_tokens',
      ],
      [
        '/files',
        {
          file_id: 'x',
          chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 51 } },
        },
        'chunking_strategy.static',
      ],
      ['/file_batches', {}, 'file_ids'],
      ['/file_batches', { file_ids: new Array(501).fill('file-x') }, 'file_ids'],
      ['', { name: 'a\0b' }, 'name'],
      ['', { metadata: { a: 7 } }, 'metadata.a'],
    ]
    for (const [path, body, param] of wrong) {
      const reply = await server.post(`/v1/vector_stores/${id}${path}`, body)
      expect([reply.status, reply.json()], JSON.stringify(body).slice(0, 80)).toMatchObject([400, { error: { param } }])
    }
    for (const path of ['/files/file-x', '/file_batches/b', '/files/a%00b', '/files?after=%00', '/files?filter=odd'])
      expect((await server.call(`/v1/vector_stores/${id}${path}`)).status, path).toBeGreaterThanOrEqual(400)
    expect((await server.post('/v1/vector_stores', { embedding_model: 'none' })).status).toBe(400)
  })

  // verifies files:type:unsupported
  it('name the types that they cannot read', async () => {
    const store = await client.vectorStores.create({})
    const archive = await upload('stuff.zip', 'PK\x03\x04....')
    const attach = await server.post(`/v1/vector_stores/${store.id}/files`, { file_id: archive.id })
    expect([attach.status, attach.json()]).toMatchObject([415, { error: { message: 'ZIP archives cannot be read' } }])
    const paper = await upload('paper.pdf', '%PDF-1.7 …')
    const letter = await upload('letter.rtf', String.raw`{\rtf1 Dear Ada\par}`)
    const late = await upload('late.txt', `${'a'.repeat(5000)}\0`)
    const note = await upload('verse.txt')
    const batch = await client.vectorStores.fileBatches.createAndPoll(
      store.id,
      { file_ids: [archive.id, paper.id, letter.id, note.id, late.id] },
      POLL,
    )
    expect(batch).toMatchObject({ status: 'completed', file_counts: { completed: 2, failed: 3, total: 5 } })
    const failed = await client.vectorStores.fileBatches.listFiles(batch.id, {
      vector_store_id: store.id,
      filter: 'failed',
    })
    expect(Object.fromEntries(failed.data.map((file) => [file.id, file.last_error?.code]))).toEqual({
      [archive.id]: 'unsupported_file',
      [paper.id]: 'invalid_file',
      [late.id]: 'invalid_file',
    })
    expect(failed.data.find(({ id }) => id === paper.id)?.last_error?.message).toBe('the PDF is damaged')
  })

  // verifies files:delete:stores
  it('lose the chunks of files that are deleted or taken out', async () => {
    const { id, ids } = await makeStore()
    const names = async () => {
      const found = await client.vectorStores.search(id, { query: 'river bread summer Sirius', max_num_results: 50 })
      return found.data.map(({ filename }) => filename).sort()
    }
    expect(await names()).toHaveLength(4)
    await client.files.delete(ids['rivers.md'] ?? '')
    expect(await names()).toEqual(['bread.html', 'stars.json', 'verse.txt'])
    await client.vectorStores.files.delete(ids['verse.txt'] ?? '', { vector_store_id: id })
    expect(await names()).toEqual(['bread.html', 'stars.json'])
    expect(await client.files.retrieve(ids['verse.txt'] ?? '')).toMatchObject({ filename: 'verse.txt' })
    expect(await client.vectorStores.retrieve(id)).toMatchObject({ file_counts: { total: 2 } })
    // A file that is added again is indexed anew.
    await client.vectorStores.files.createAndPoll(id, { file_id: ids['verse.txt'] ?? '' }, POLL)
    expect(await names()).toEqual(['bread.html', 'stars.json', 'verse.txt'])
  })

  it('take files by the helpers of the client', async () => {
    const store = await client.vectorStores.create({ file_ids: [(await upload('verse.txt')).id] })
    const one = await client.vectorStores.files.uploadAndPoll(
      store.id,
      new File([NOTES['rivers.md'] ?? ''], 'r.md'),
      POLL,
    )
    expect(one).toMatchObject({ status: 'completed', last_error: null })
    const files = ['bread.html', 'stars.json'].map((name) => new File([NOTES[name] ?? ''], name))
    const batch = await client.vectorStores.fileBatches.uploadAndPoll(store.id, { files }, POLL)
    expect(batch).toMatchObject({ status: 'completed', file_counts: { completed: 2 } })
    await eventually(async () => {
      expect(await client.vectorStores.retrieve(store.id)).toMatchObject({ file_counts: { completed: 4 } })
    })
    const cut = await client.vectorStores.files.uploadAndPoll(
      store.id,
      new File(['One short sentence of words. '.repeat(200)], 'long.txt'),
      POLL,
    )
    const content = await client.vectorStores.files.content(cut.id, { vector_store_id: store.id })
    expect(content.data.length).toBeGreaterThan(1)
    expect(content.data.map(({ text }) => text).join('')).toBe('One short sentence of words. '.repeat(200))
  })
})
