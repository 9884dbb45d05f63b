import { basePath } from './lib/base-path.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/card.css'
import './styles/table.css'

// The pages before signing in load no router and no frame. No module waits at its top, so that the bundler can join chunks.
async function run(): Promise<void> {
  const host = document.getElementById('root')
  if (host === null) throw new Error('the page has no place for the interface')
  const isEntry = /^(login|invite\/[^/]+)\/?$/.test(location.pathname.slice(basePath.length))
  const { start } = await (isEntry ? import('./app/start-entry.tsx') : import('./app/start-pages.tsx'))
  await start(host)
}

void run()
