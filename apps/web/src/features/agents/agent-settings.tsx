import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, buttonClass } from '../../components/ui/button.tsx'
import { SelectField, TextArea, TextField } from '../../components/ui/field.tsx'
import { LeaveGuard } from '../../components/ui/leave-guard.tsx'
import { ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { modelNamesQuery } from '../../lib/server-state.ts'
import * as styles from './agents.module.css'
import { type AgentConfig, configQuery, findExport, updateAgent } from './api.ts'
import { type ConfigForm, toConfig, toForm } from './config-form.ts'
import { ServerFields } from './server-fields.tsx'
import { SkillFields } from './skill-fields.tsx'
import { StoreFields } from './store-fields.tsx'

/** The settings of an agent. */
export function AgentSettings({ name }: { readonly name: string }) {
  const config = useQuery(configQuery(name))
  return (
    <QueryView query={config} lines={8}>
      {(known) => <ConfigEditor key={name} config={known} />}
    </QueryView>
  )
}

function ConfigEditor({ config }: { readonly config: AgentConfig }) {
  const { t } = useTranslation('agents')
  const isOffline = useConnection().state === 'offline'
  const saved = useRef(toForm(config))
  const [form, setForm] = useState(saved.current)
  const change = (changes: Partial<ConfigForm>) => setForm((before) => ({ ...before, ...changes }))
  const save = useMutation({
    mutationFn: () => updateAgent(toConfig(config, form)),
    onSuccess() {
      saved.current = form
      notify('success', t('saved', { name: config.name }))
    },
  })
  const isChanged = JSON.stringify(form) !== JSON.stringify(saved.current)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className={styles.form} onSubmit={onSubmit}>
      <MainFields name={config.name} form={form} onChange={change} />
      <ServerFields servers={form.servers} onChange={(servers) => change({ servers })} />
      <SkillFields form={form} onChange={change} />
      <StoreFields stores={form.stores} onChange={(stores) => change({ stores })} />
      {save.isError && <ErrorBlock error={save.error} />}
      <div className="row">
        <Button type="submit" kind="primary" busy={save.isPending} disabled={!isChanged || isOffline}>
          {t('save')}
        </Button>
        <a className={buttonClass()} href={findExport(config.name)} download>
          {t('export')}
        </a>
        {isChanged && <span className="meta">{t('leave.unsaved')}</span>}
      </div>
      <LeaveGuard isNeeded={() => isChanged} isSearchToo />
    </form>
  )
}

function MainFields({
  name,
  form,
  onChange,
}: {
  readonly name: string
  readonly form: ConfigForm
  readonly onChange: (changes: Partial<ConfigForm>) => void
}) {
  const { t } = useTranslation('agents')
  // an agent is a model too, but not one for itself
  const models = (useQuery(modelNamesQuery).data ?? []).filter((model) => model !== name)
  const names = form.model === '' || models.includes(form.model) ? models : [form.model, ...models]
  return (
    <section className={styles.part} aria-label={t('view.settings')}>
      <div className={styles.wide}>
        <TextField
          label={t('description')}
          maxLength={10_000}
          autoComplete="off"
          value={form.description}
          onChange={({ target }) => onChange({ description: target.value })}
        />
      </div>
      <SelectField
        label={t('model')}
        options={[['', t('defaultModel')], ...names.map((each) => [each, each] as const)]}
        value={form.model}
        onChange={({ target }) => onChange({ model: target.value })}
      />
      <TextField
        label={t('turns')}
        hint={t('turnsHint')}
        type="number"
        min={0}
        max={1000}
        step={1}
        value={form.turns}
        onChange={({ target }) => onChange({ turns: target.value })}
      />
      <div className={styles.wide}>
        <TextArea
          label={t('systemPrompt')}
          hint={t('systemPromptHint')}
          rows={6}
          maxLength={262_144}
          value={form.prompt}
          onChange={({ target }) => onChange({ prompt: target.value })}
        />
      </div>
      <TextField
        label={t('temperature')}
        type="number"
        min={0}
        max={100}
        step="any"
        value={form.temperature}
        onChange={({ target }) => onChange({ temperature: target.value })}
      />
      <TextField
        label={t('maxTokens')}
        type="number"
        min={0}
        max={10_000_000}
        step={1}
        value={form.maxTokens}
        onChange={({ target }) => onChange({ maxTokens: target.value })}
      />
    </section>
  )
}
