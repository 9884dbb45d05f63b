import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { SearchField } from '../../components/ui/field.tsx'
import { LeaveGuard } from '../../components/ui/leave-guard.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { NoMatch, QueryView } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useSectionHeading, useSettingTexts } from '../../lib/setting-texts.ts'
import { originsQuery, useSaveSettings, type Values, valuesQuery } from './api.ts'
import { type Draft, type Drafts, putDraft, toPatch } from './drafts.ts'
import { PicturesCard } from './pictures-card.tsx'
import { SaveBar } from './save-bar.tsx'
import { type Section, searchSections, splitSections } from './sections.ts'
import { SettingRow } from './setting-row.tsx'
import * as styles from './settings.module.css'

const route = getRouteApi('/app/settings/$section')

/** The settings that can be changed while the server runs. */
export function SettingsPage() {
  const { t } = useTranslation('settings')
  const values = useQuery(valuesQuery)
  const origins = useQuery(originsQuery)
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <PageHead title={t('nav.settings')}>
        <div className={styles.search}>
          <SearchField
            label={t('searchLabel')}
            value={q}
            onChange={(text) => void navigate({ search: text === '' ? {} : { q: text }, replace: true })}
          />
        </div>
      </PageHead>
      <div className={`page ${styles.page}`}>
        <QueryView query={origins} lines={8}>
          {(list) => (
            <QueryView query={values} lines={8}>
              {(current) => <Settings sections={splitSections(list)} values={current} />}
            </QueryView>
          )}
        </QueryView>
      </div>
    </>
  )
}

function Settings({ sections, values }: { readonly sections: readonly Section[]; readonly values: Values }) {
  const { t } = useTranslation('settings')
  const { section: id } = route.useParams()
  const { q } = route.useSearch()
  const navigate = route.useNavigate()
  const describe = useSettingTexts()
  const translateHeading = useSectionHeading()
  useShownSetting()
  const [drafts, setDrafts] = useState<Drafts>({})
  const save = useSaveSettings()
  const opened = sections.find((section) => section.id === id) ?? sections[0]
  const shown = q === undefined ? (opened === undefined ? [] : [opened]) : searchSections(sections, q, describe)
  const change = (key: string, draft: Draft | undefined) => setDrafts(putDraft(drafts, key, draft, values[key]))
  const onSave = () =>
    save.mutate(toPatch(drafts), {
      onSuccess: ({ unused, warnings }) => {
        setDrafts({})
        const faults = [...unused.map(({ key, reason }) => `${key}: ${reason}`), ...warnings]
        if (unused.length > 0) notify('error', t('savedUnused', { reasons: faults.join('; ') }))
        else if (faults.length > 0) notify('error', t('savedFaulty', { reasons: faults.join('; ') }))
        else notify('success', t('saved'))
      },
    })
  return (
    <>
      <div className={styles.layout}>
        <SectionLinks sections={sections} current={q === undefined ? opened?.id : undefined} drafts={drafts} />
        <div className={`stack ${styles.body}`}>
          {shown.map((section) => (
            <section key={section.id} className="card" aria-labelledby={`settings-${section.id}`}>
              <header>
                <h2 id={`settings-${section.id}`}>
                  {section.heading === undefined ? t('branding.title') : translateHeading(section.id, section.heading)}
                </h2>
              </header>
              {section.settings.map((origin) => (
                <SettingRow
                  key={origin.key}
                  origin={origin}
                  value={values[origin.key]}
                  draft={drafts[origin.key]}
                  onChange={(draft) => change(origin.key, draft)}
                />
              ))}
            </section>
          ))}
          {shown.some((section) => section.id === 'branding') && <PicturesCard />}
          {shown.length === 0 && <NoMatch onClear={() => void navigate({ search: {}, replace: true })} />}
        </div>
      </div>
      <SaveBar
        drafts={drafts}
        values={values}
        sections={sections}
        error={save.error}
        busy={save.isPending}
        onSave={onSave}
        onDiscard={() => {
          save.reset()
          setDrafts({})
        }}
      />
      <LeaveGuard isNeeded={() => Object.keys(drafts).length > 0} keptUnder="/app/settings/" />
    </>
  )
}

function SectionLinks({
  sections,
  current,
  drafts,
}: {
  readonly sections: readonly Section[]
  readonly current: string | undefined
  readonly drafts: Drafts
}) {
  const { t } = useTranslation('settings')
  const translateHeading = useSectionHeading()
  return (
    <nav className={styles.navigation} aria-label={t('sections')}>
      {sections.map(({ id, heading, settings }) => (
        <Link
          key={id}
          to="/app/settings/$section"
          params={{ section: id }}
          activeProps={{}}
          {...(id === current ? { 'aria-current': 'page' as const } : { 'aria-current': undefined })}
        >
          {heading === undefined ? t('branding.title') : translateHeading(id, heading)}
          {settings.some(({ key }) => drafts[key] !== undefined) && (
            <>
              <span className={styles.dot} aria-hidden="true" />
              <span className="visuallyHidden">{t('changed')}</span>
            </>
          )}
        </Link>
      ))}
    </nav>
  )
}

/** Brings the setting into view that the address names behind its `#`. */
function useShownSetting(): void {
  const { hash } = useLocation()
  useEffect(() => {
    if (hash !== '') document.getElementById(hash)?.scrollIntoView({ block: 'center' })
  }, [hash])
}
