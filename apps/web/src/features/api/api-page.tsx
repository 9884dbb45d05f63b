import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { CodeBlock } from '../../components/ui/code-block.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import * as fieldStyles from '../../components/ui/field.module.css'
import { SelectField, TextField } from '../../components/ui/field.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import { Instructions } from '../../components/ui/instructions.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { root, toUrl } from '../../lib/base-path.ts'
import { installedModelsQuery } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import * as styles from './api.module.css'
import { FORMATS, LANGUAGES } from './formats.ts'
import type { ApiSearch } from './search.ts'
import { makeSnippet } from './snippets.ts'

const route = getRouteApi('/app/api')

/** Instructions for programs that use this server. */
export function ApiPage() {
  const { t } = useTranslation('api')
  const { topic } = route.useSearch()
  const change = useChange()
  return (
    <>
      <PageHead title={t('nav.api')}>
        <span className="push" />
        <a className={buttonClass()} href={toUrl('swagger/index.html')}>
          <Icon name="external" />
          {t('reference')}
        </a>
      </PageHead>
      <div className="page stack">
        <div className={styles.columns}>
          <AddressCard />
          <SnippetCard />
        </div>
        <section className="card" aria-labelledby="api-instructions">
          <header>
            <h2 id="api-instructions">{t('instructions.title')}</h2>
          </header>
          <div className="cardBody">
            <Instructions topic={topic} onTopic={(next) => change({ topic: next })} />
          </div>
        </section>
      </div>
    </>
  )
}

/** Changes a part of the search parameters. */
function useChange(): (part: ApiSearch) => void {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (part) => void navigate({ search: { ...search, ...part }, replace: true, resetScroll: false })
}

function AddressCard() {
  const { t } = useTranslation('api')
  const { viewer } = useSession()
  const base = `${root.href}v1`
  return (
    <section className="card" aria-labelledby="api-address">
      <header>
        <h2 id="api-address">{t('address.title')}</h2>
      </header>
      <div className="cardBody stack">
        <div>
          <span className={fieldStyles.label}>{t('address.base')}</span>
          <div className="row">
            <code className={styles.baseAddress}>{base}</code>
            <CopyButton text={base} label={t('address.copy')} />
          </div>
          <p className={fieldStyles.hint}>{t('address.hint')}</p>
        </div>
        <div>
          <span className={fieldStyles.label}>{t('key.title')}</span>
          <p className="muted">
            {t(`key.${viewer.kind}`)} {viewer.kind === 'account' && <Link to="/app/account/keys">{t('key.make')}</Link>}
          </p>
        </div>
      </div>
    </section>
  )
}

function SnippetCard() {
  const { t } = useTranslation('api')
  const { viewer } = useSession()
  const { format = 'chat', lang = 'curl', model } = route.useSearch()
  const change = useChange()
  const [key, setKey] = useState('')
  const models = useQuery(installedModelsQuery)
  return (
    <section className="card" aria-labelledby="api-snippet">
      <header>
        <h2 id="api-snippet">{t('snippet.title')}</h2>
      </header>
      <div className="cardBody stack">
        <div className="row wrap">
          <Segmented
            label={t('snippet.format')}
            value={format}
            options={FORMATS.map((value) => [value, t(`format.${value}`)])}
            onChange={(value) => change({ format: value })}
          />
          <Segmented
            label={t('snippet.language')}
            value={lang}
            options={LANGUAGES.map((value) => [value, t(`language.${value}`)])}
            onChange={(value) => change({ lang: value })}
          />
        </div>
        <QueryView query={models} lines={4}>
          {(all) => {
            const names = all
              .filter(({ capabilities, disabled }) => !disabled && capabilities.includes('FLAG_CHAT'))
              .map(({ id }) => id)
            const chosen = model ?? names[0] ?? 'MODEL'
            const snippet = makeSnippet({
              format,
              language: lang,
              root: root.href,
              model: chosen,
              key: key !== '' ? { kind: 'value', value: key } : { kind: viewer.kind === 'open' ? 'none' : 'variable' },
            })
            return (
              <>
                {names.length === 0 && <Notice tone="warn">{t('snippet.noModel')}</Notice>}
                <div className={styles.fields}>
                  <SelectField
                    label={t('snippet.model')}
                    options={[...new Set([chosen, ...names])].map((name) => [name, name])}
                    value={chosen}
                    onChange={({ target }) => change({ model: target.value })}
                  />
                  {viewer.kind !== 'open' && (
                    <TextField
                      label={t('snippet.key')}
                      type="password"
                      autoComplete="off"
                      hint={t('snippet.keyHint')}
                      value={key}
                      onChange={({ target }) => setKey(target.value.trim())}
                    />
                  )}
                </div>
                <CodeBlock title={t(`language.${lang}`)} text={snippet} />
              </>
            )
          }}
        </QueryView>
      </div>
    </section>
  )
}
