import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { router } from './app/router.tsx'
import { startTranslations } from './i18n/index.ts'
import { queryClient } from './lib/query-client.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/app.css'

const host = document.getElementById('root')
if (host === null) throw new Error('the page has no place for the interface')

await startTranslations()
createRoot(host).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)

// the page that tells of failures has to be here before the server goes away
setTimeout(() => void import('./app/failures.tsx'), 2_000)
