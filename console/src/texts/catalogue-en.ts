export const catalogue = {
  title: 'App catalogue'
}
