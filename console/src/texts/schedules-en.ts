export const schedules = {
  title: 'Schedules'
}
