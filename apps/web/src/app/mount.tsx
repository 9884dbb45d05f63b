import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, StrictMode, Suspense } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { startTranslations } from '../i18n/index.ts'
import { queryClient } from '../lib/query-client.ts'

/** A place of the document with its content. */
export interface Mount {
  show(content: ReactNode): void
}

/** Loads the texts that every page needs, and gets a place ready to draw in. */
export async function mount(host: HTMLElement): Promise<Mount> {
  await startTranslations()
  const root: Root = createRoot(host)
  return {
    show: (content) =>
      root.render(
        <StrictMode>
          <QueryClientProvider client={queryClient}>
            <Suspense>{content}</Suspense>
          </QueryClientProvider>
        </StrictMode>,
      ),
  }
}
