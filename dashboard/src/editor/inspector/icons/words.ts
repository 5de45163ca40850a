/** What people look for icons by besides their names: a word, and the first parts of the names of what it means. */
export const words = `\
$: card cash pricetag pricetags
?: help
ai: color-wand sparkles
alarm: notifications
alert: warning
answer: chatbubble help
arrow: caret chevron-back chevron-down chevron-forward chevron-up play play-circle
attach: link
attention: alert
award: podium trophy
baby: egg happy
bad: sad
bank: business
bars: wifi
bell: notifications
bike: bicycle
bin: trash
bird: egg
birthday: balloon gift
box: cube
boy: male man
brain: bulb extension
bubble: chatbox chatbubble
camera: barcode image videocam
cancel: close
cash: card wallet
cat: paw
cd: disc
chain: link
chart: analytics
check: checkmark
chevron: arrow
child: balloon happy
clock: alarm time timer
close: trash
cloud: bluetooth rainy
cloudy: thunderstorm
coffee: cafe
coin: cash
cold: snow thermometer
copy: clipboard
credit: card cash
cross: add close
crown: diamond medal trophy
cry: sad
cup: cafe trophy
danger: nuclear
date: calendar today
debit: card cash
delete: backspace close trash
diet: fast nutrition restaurant scale
discount: gift pricetag ticket
doctor: bandage fitness medical medkit
dog: paw
dollars: card cash
done: checkmark
dots: ellipsis
drink: beer pizza
drive: speedometer
dumbbell: barbell
duplicate: copy
eat: beer pizza restaurant
edit: create pencil
education: book library school
email: archive mail send
emoji: happy sad
energy: battery flame flash
error: bug
exclamation: alert
exercise: barbell bicycle
export: download
face: happy sad scan
family: home people
favorite: bookmark bookmarks flag star
female: woman
file: document folder
film: recording videocam
filters: options
fire: bonfire flame
firstaid: medkit
flask: beaker
flower: rose
focus: aperture eye scan
folder: briefcase
food: beer ice nutrition pizza restaurant
forest: leaf
forever: infinite
fun: happy
garden: flower leaf rose water
gear: cog settings
girl: female woman
glass: search wine
globe: earth planet
goal: flag podium ribbon trophy
good: happy
gps: locate map navigate pin
graph: analytics bar stats trending-up
green: leaf
growth: leaf stats trending-up
gym: barbell fitness
habit: calendar checkmark repeat
hamburger: menu reorder
hazard: nuclear
health: fitness heart medical medkit pulse
heat: bonfire flame thermometer
help: information
hide: eye-off
home: planet
hot: bonfire flame pulse thermometer
hotel: bed
hour: time
house: home
human: people person person-add person-circle
hydrate: water wine
idea: bulb
image: camera
information: help help-circle
insight: analytics bulb eye
internet: globe wifi
knowledge: information
lady: female woman
language: globe
learn: book bulb school
left: arrow-back caret-back chevron-back play-back play-skip-back return-down-back return-up-back
level: cellular podium speedometer stats
lifting: barbell
lightning: flash thunderstorm
like: happy heart thumbs-up
link: open
live: pulse
loading: hourglass sync timer
location: compass map navigate pin
login: enter log-in
logout: log-out
look: eye glasses
loop: infinite
love: heart rose
magic: color-wand sparkles
magnifying: search
mail: at paper send
male: man
map: navigate
marker: flag
math: calculator
medicine: bandage medkit
meditation: body flower leaf
menu: grid
message: chatbox chatbubble mail
metrics: analytics
mind: bulb
minus: remove
minute: time
money: card cash pricetag pricetags wallet
month: calendar
moon: cloudy-night
more: add ellipsis
movie: videocam
music: headset musical pause play play-circle radio
nature: leaf planet
navigate: locate
next: arrow-forward chevron-forward
night: bed moon
no: ban close sad thumbs-down
notice: alert
offer: gift pricetag
options: cog hammer settings
overcast: cloudy thunderstorm
paint: brush color-palette
paper: copy document send
password: key lock-closed
paste: clipboard
pay: card cash wallet
percent: pricetag
person: people
pet: fish paw
phone: call
photo: camera image images
pin: map navigate
plan: calendar clipboard list map
plane: airplane
plant: flower leaf rose
plus: add
premium: diamond ribbon sparkles star
present: gift
price: card cash
privacy: eye-off finger lock-closed shield
profile: id person
progress: hourglass stats trending-up
question: help
quick: flash rocket speedometer
rain: thunderstorm umbrella
random: shuffle
rate: pulse star-half
rating: star thumbs-up
read: book
reading: glasses
recycle: leaf
reload: refresh
reminder: alarm notifications
remove: close trash
renew: refresh
reset: refresh
resize: expand
reward: gift medal ribbon trophy
right: arrow-forward caret-forward chevron-forward play play-circle play-forward play-skip-forward return-down-forward return-up-forward
run: footsteps walk
safe: lock-closed shield
sale: pricetag
save: bookmark download
second: time
secure: key lock-closed shield
security: lock-closed shield
see: eye glasses
settings: aperture cog contrast hammer
shop: bag basket cart storefront
shopping: card cash pricetag pricetags
sick: medkit
signin: log-in
signout: log-out
sky: moon sunny thunderstorm
sleep: bed moon
smile: happy
soccer: football
sort: funnel
sound: mic musical volume-mute
space: planet
speaker: mic
speed: flash rocket speedometer
sport: american barbell baseball basketball football tennisball
start: flag play rocket
steps: footsteps walk
storage: cloud cloud-circle cloud-download cloud-upload
storm: thunderstorm
streak: flame
strength: barbell
subtract: remove
success: checkmark trophy
sun: sunny
support: chatbubble headset help-buoy
swim: water
switch: toggle
tag: bookmark
talk: chatbubbles mic
tape: recording
target: disc locate
team: people
telephone: call
television: tv
temperature: thermometer
thanks: heart rose
thunder: flash thunderstorm
tick: checkmark
time: alarm hourglass stopwatch
tool: build construct hammer
travel: airplane compass earth map
type: keypad
user: people person
view: eye
vote: thumbs
warning: alert nuclear
watch: play play-circle time
water: rainy
weather: cloud cloud-circle cloudy flash partly rainy snow sunny thunderstorm
week: calendar
weight: barbell scale
win: medal podium trophy
winner: medal podium trophy
woman: female
work: briefcase business
workout: barbell fitness
world: earth globe planet
write: clipboard
x: close
yes: checkmark happy thumbs-up
yoga: body flower
`;
