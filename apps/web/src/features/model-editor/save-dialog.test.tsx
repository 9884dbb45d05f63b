// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { completeTestDocument } from '../../components/ui/test-document.ts'
import { startTestTranslations } from '../../i18n/test-translations.ts'
import { type ServerState, systemQuery } from '../../lib/server-state.ts'
import { SaveDialog } from './save-dialog.tsx'

beforeAll(async () => {
  completeTestDocument()
  await startTestTranslations()
})
afterEach(cleanup)

function showDialog(loaded: readonly string[]): void {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const state: Partial<ServerState> = {
    backends: [],
    loaded_models: loaded.map((id) => ({ id, backend: 'llama' })),
  }
  // the dialog reads no more of it
  client.setQueryData(systemQuery.queryKey, state as ServerState)
  const ignore = () => undefined
  render(
    <QueryClientProvider client={client}>
      <SaveDialog
        base={{ text: 'name: house\n', revision: '1' }}
        savedName="house"
        text={'name: house\ncontext_size: 4096\n'}
        problems={[]}
        onText={ignore}
        onClose={ignore}
        onSaved={ignore}
      />
    </QueryClientProvider>,
  )
}

test('says that a loaded model takes new values when it loads again', () => {
  showDialog(['other', 'house'])
  expect(screen.getByRole('note').textContent).toContain('house is in memory')
})

test('says nothing of it for a model that is not loaded', () => {
  showDialog(['other'])
  expect(screen.getByRole('dialog', { name: 'Save these changes?' })).toBeDefined()
  expect(screen.queryByRole('note')).toBeNull()
})
