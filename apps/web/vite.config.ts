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
    rolldownOptions: {
      output: {
        // few files instead of many small ones, apart by what a page needs: the sign-in page loads no router
        codeSplitting: {
          groups: [
            {
              name: 'router',
              test: /node_modules\/@tanstack\/(?:react-router|router-core|history|store|react-store)\//,
              priority: 2,
            },
            {
              name: 'base',
              test: /node_modules\/(?:react|react-dom|scheduler|use-sync-external-store|i18next|react-i18next|openapi-fetch|@tanstack\/(?:query-core|react-query))\//,
              priority: 3,
            },
            {
              // what the routes need of each page before it loads
              name: 'search',
              test: /src\/(?:features\/[^/]+\/search|lib\/search-values)\.ts$/,
              priority: 1,
            },
            {
              name: 'parts',
              test: /src\/(?:lib\/(?:api-client|api-error|base-path|branding|capabilities|connection|format|preferences|query-client|session|theme)|i18n\/index|components\/ui\/(?:button|copy-button|field|icon|notice|page-head|states|status|time|toast))\.tsx?$/,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: {
    // the server compares the origin of a form with its own host, so the host of the page is passed on
    proxy: Object.fromEntries([
      ...PROXIED.map((path) => [path, { target: server, changeOrigin: false }]),
      ['/ws', { target: server, ws: true }],
    ]),
  },
})
