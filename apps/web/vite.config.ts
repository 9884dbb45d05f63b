import { readFileSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import toRem from 'postcss-pxtorem'
import { defineConfig, type Plugin } from 'vite'
import { nameClass } from './scripts/name-class.ts'
import { USUAL_PX } from './src/lib/text-size.ts'

/** Server to which `vite` sends the calls of a page under development. */
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

/** Matches packages by name, and files below `src`. */
function match(packages: readonly string[], files: readonly string[]): RegExp {
  const patterns = [...packages.map((name) => `/node_modules/(?:${name})/`), ...files.map((file) => `/src/${file}$`)]
  return new RegExp(patterns.join('|'))
}

/**
 * Few files instead of many small ones, grouped by the pages that need them; the first group that matches takes a
 * module. The sign-in page needs only `base`, the first page of others `base`, `frame` and `home`; `overlays` and
 * `chats` come after the first paint.
 */
const GROUPS = {
  base: match(
    [
      'react|react-dom|scheduler|use-sync-external-store|i18next|react-i18next|openapi-fetch',
      '@tanstack/(?:query-core|react-query)',
    ],
    [
      'main.tsx',
      'app/mount.tsx',
      'i18n/(?:index.ts|locales/en/common.json)',
      'lib/(?:api-client|api-error|base-path|branding|capabilities|connection|format|lazy-part|preferences).ts',
      'lib/(?:query-client|search-values|session|theme).ts',
      'features/sign-in/search.ts',
      'components/ui/(?:button|copy-button|field|icon|notice|page-head|product-mark|states|status|time|toast).tsx?',
      'styles/[^/]+.css',
      // parts that open later find their styles already loaded
      '(?:app/[^/]+|components/(?:ui/(?!list-detail)[^/]+|chat/composer|operations/operations)|features/home/home).module.css',
    ],
  ),
  frame: match(
    ['@tanstack/(?:react-router|router-core|history|store|react-store)'],
    [
      'app/(?:breadcrumbs|define-page|failure-views|follow-changes|follow-focus|heartbeat|lab-routes|navigation|navigation-counts|old-addresses).tsx?',
      'app/(?:pages|redirect-routes|root-route|router|routes|shell|shortcuts).tsx?',
      'app/(?:standing-notices|start-pages|top-bar|with-refusal).tsx',
      'features/(?!sign-in)[^/]+/search.ts',
      'features/api/formats.ts',
      'lib/(?:changes|follow-mutations|palette).ts',
    ],
  ),
  home: match([], ['features/home/(?:home-page.tsx|api.ts)', 'lib/(?:chat/models|server-state).ts']),
  overlays: match(
    ['react-aria-components|@?react-aria|@?react-stately|@internationalized', 'sonner'],
    [
      'app/(?:account-menu|admin-tools|attention-count|failures|operation-news|operations-button|palette|pending-count).tsx?',
      'components/(?:operations/[^/]+|chat/model-list|workers/load-progress|ui/(?:dialog|menu|name-filter|off-notice|progress-bar|scroll-region|scrolled-table|toaster)).tsx?',
      'lib/(?:operations/[^/]+|model-load).ts',
    ],
  ),
  chats: match(
    [],
    [
      'lib/(?:chat/[^/]+|model-figures|use-now).ts',
      'components/chat/[^/]+.tsx?',
      'features/home/(?:attention|home-chats|home-composer|loaded-models|page-link|recent-chats|requests).tsx?',
      'features/home/(?:resources|server-panels|to-line).tsx?',
    ],
  ),
  texts: match([], ['i18n/locales/en/(?:chat|home|operations).json']),
}

// the interface is built with its server and shows the version of both
const { version } = JSON.parse(readFileSync(new URL('../server/package.json', import.meta.url), 'utf8'))

/**
 * Keeps the styles of modules. Names of classes are written where they are read, so that pages carry no table of them;
 * nothing reads the module itself then, and the build would drop it.
 */
function keepModuleStyles(): Plugin {
  return {
    name: 'svc:keep-module-styles',
    apply: 'build',
    enforce: 'post',
    transform: {
      filter: { id: /\.module\.css$/ },
      handler: (code) => ({ code, map: null, moduleSideEffects: 'no-treeshake' }),
    },
  }
}

export default defineConfig({
  // every address is relative to <base href>, so that the interface works below a path prefix
  base: './',
  plugins: [keepModuleStyles(), react()],
  css: {
    modules: { generateScopedName: nameClass },
    postcss: {
      // Styles are written in pixels and follow the size of letters that the browser is set to, breakpoints too. Lines
      // stay thin.
      plugins: [toRem({ rootValue: USUAL_PX, propList: ['*'], mediaQuery: true, minPixelValue: 3 })],
    },
  },
  define: { 'import.meta.env.VITE_SVC_VERSION': JSON.stringify(version) },
  build: {
    target: 'es2023',
    manifest: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      optimization: { inlineConst: { mode: 'all', pass: 2 } },
      output: {
        codeSplitting: {
          groups: Object.entries(GROUPS).map(([name, test], index, { length }) => ({
            name,
            test,
            priority: length - index,
          })),
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
