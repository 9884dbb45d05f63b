// Sets the theme and the language of the document before the first paint. It is a file of its own because the policy
// header allows no inline script.
;(() => {
  const root = document.documentElement
  const read = (key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  }
  const choice = read('svc-theme')
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.dataset.theme = dark ? 'dark' : 'light'
  root.lang = read('svc-language') ?? navigator.language
})()
