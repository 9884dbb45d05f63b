import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `vite` sends the calls of a page under development. */
const server = process.env.SVC_DEV_SERVER ?? 'http://127.0.0.1:8080'
const PROXIED = [
  '/api',
  '/v1',
  '/backend',
  '/backends',
  '/models',
  '/system',
  '/healthz',
  '/readyz',
  '/swagger',
  '/branding',
  '/metrics',
  '/version',
  '/.well-known',
  '/favicon.svg',
]

export default defineConfig({
  // every address is relative to <base href>, so that the interface works below a path prefix
  base: './',
  plugins: [react()],
  build: {
    target: 'es2023',
    manifest: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
  server: {
    // the server compares the origin of a form with its own host, so the host of the page is passed on
    proxy: Object.fromEntries([
      ...PROXIED.map((path) => [path, { target: server, changeOrigin: false }]),
      ['/ws', { target: server, ws: true }],
    ]),
  },
})
