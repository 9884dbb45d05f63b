import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import * as fieldStyles from '../../components/ui/field.module.css'
import { Checkbox, SearchField, Switch } from '../../components/ui/field.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { compareNames } from '../../lib/format.ts'
import type { User } from '../../lib/users.ts'
import { useSetModels } from './api.ts'
import * as styles from './users.module.css'

/** The models that an account may use. @param models all models of the server */
export function ModelsForm({ user, models }: { readonly user: User; readonly models: readonly string[] }) {
  const { t } = useTranslation('users')
  const { state } = useConnection()
  const [isLimited, setLimited] = useState(user.allowed_models.enabled)
  const [allowed, setAllowed] = useState<ReadonlySet<string>>(new Set(user.allowed_models.models))
  const [text, setText] = useState('')
  const save = useSetModels()
  // a model that was removed keeps its place in the list of the account
  const names = [...new Set([...models, ...user.allowed_models.models])].sort(compareNames)
  const shown = names.filter((name) => name.toLowerCase().includes(text.toLowerCase()))
  const flip = (name: string, isOn: boolean) => {
    const next = new Set(allowed)
    if (isOn) next.add(name)
    else next.delete(name)
    setAllowed(next)
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(
      { id: user.id, enabled: isLimited, models: [...allowed] },
      { onSuccess: () => notify('success', t('rights.modelsSaved', { email: user.email })) },
    )
  }
  return (
    <form className="stack" onSubmit={onSubmit}>
      <Switch label={t('rights.limit')} checked={isLimited} onChange={({ target }) => setLimited(target.checked)} />
      {isLimited && (
        <>
          {names.length > 10 && <SearchField label={t('rights.findModel')} value={text} onChange={setText} />}
          <fieldset className={styles.models}>
            <legend className={fieldStyles.label}>{t('rights.allowed', { count: allowed.size })}</legend>
            {shown.map((name) => (
              <Checkbox
                key={name}
                label={models.includes(name) ? name : t('rights.goneModel', { name })}
                checked={allowed.has(name)}
                onChange={({ target }) => flip(name, target.checked)}
              />
            ))}
          </fieldset>
        </>
      )}
      {save.isError && <ErrorBlock error={save.error} />}
      <div>
        <Button type="submit" kind="primary" busy={save.isPending} disabled={state === 'offline'}>
          {t('save')}
        </Button>
      </div>
    </form>
  )
}
