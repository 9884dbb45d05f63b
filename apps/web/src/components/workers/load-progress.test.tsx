// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { startTestTranslations } from '../../i18n/test-translations.ts'
import { type LoadStatus, modelLoadQuery } from '../../lib/model-load.ts'
import { LoadProgress } from './load-progress.tsx'

beforeAll(startTestTranslations)
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const status: LoadStatus = {
  model: 'demo',
  state: 'staging',
  node: 'box-1',
  progress: 0.4,
  bytes_sent: 4,
  total_bytes: 10,
  file_index: 1,
  total_files: 2,
  eta_seconds: 90,
}

function show(load: LoadStatus | null) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(modelLoadQuery('demo').queryKey, load)
  return render(
    <QueryClientProvider client={client}>
      <LoadProgress model="demo" />
    </QueryClientProvider>,
  )
}

it('says where the files of a model go, how far they are and how long they take', () => {
  show(status)
  expect(screen.getByText('Copying files')).toBeDefined()
  expect(screen.getByText('box-1 · 40% · about 1 min 30 sec left')).toBeDefined()
  expect(screen.getByRole('progressbar', { name: 'Load of demo' }).getAttribute('aria-valuenow')).toBe('40')
})

it('shows no share before there is one', () => {
  const { node: _, eta_seconds: __, ...unplaced } = status
  show({ ...unplaced, state: 'pending', progress: 0 })
  expect(screen.getByText('Waits for a worker')).toBeDefined()
  expect(screen.getByRole('progressbar').hasAttribute('aria-valuenow')).toBe(false)
})

it('is empty while the model is not on its way', () => {
  expect(show(null).container.innerHTML).toBe('')
})

it('takes a 404 for a model that is not on its way, and reports other failures', async () => {
  const answer = async (code: number): Promise<unknown> => {
    const body = JSON.stringify({ error: { code, message: 'none', type: '' } })
    vi.stubGlobal(
      'fetch',
      async () => new Response(body, { status: code, headers: { 'content-type': 'application/json' } }),
    )
    const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
    return client.fetchQuery(modelLoadQuery('demo'))
  }
  expect(await answer(404)).toBeNull()
  await expect(answer(500)).rejects.toMatchObject({ status: 500 })
})
