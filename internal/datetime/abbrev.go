package datetime

// fixedAbbreviations are what PostgreSQL knows by default, in seconds east of UTC; D marks
// daylight saving time.
const fixedAbbreviations = `
acdt=37800D acsst=37800D acst=34200 act=-18000 acwst=31500 adt=-10800D aedt=39600D aesst=39600D aest=36000 aft=16200
akdt=-28800D akst=-32400 almst=25200D almt=21600 amt=-14400 ast=-14400 awsst=32400D awst=28800 azost=0D azot=-3600
bdst=7200D bdt=21600 bnt=28800 bort=28800 bot=-14400 bra=-10800 brst=-7200D brt=-10800 bst=3600D btt=21600 cadt=37800D
cast=34200 cct=28800 cdt=-18000D cest=7200D cet=3600 cetdst=7200D chadt=49500D chast=45900 chut=36000 clst=-10800D
cot=-18000 cst=-21600 cxt=25200 ddut=36000 eat=10800 edt=-14400D eest=10800D eet=7200 eetdst=10800D egst=0D egt=-3600
est=-18000 fet=10800 fjst=46800D fjt=43200 fnst=-3600D fnt=-7200 galt=-21600 gamt=-32400 gft=-10800 gilt=43200 gmt=0
hkt=28800 hst=-36000 ict=25200 idt=10800D irt=12600 ist=7200 jayt=32400 jst=32400 kdt=36000D kgst=21600D kst=32400
lhst=37800 ligt=36000 mart=-34200 mdt=-21600D mest=7200D mesz=7200D met=3600 metdst=7200D mez=3600 mht=43200 mmt=23400
mpt=36000 msd=14400D mst=-25200 must=18000D mut=14400 mvt=18000 myt=28800 ndt=-9000D nft=-12600 npt=20700 nst=-12600
nzdt=46800D nzst=43200 nzt=43200 pdt=-25200D pet=-18000 pgt=36000 pht=28800 pkst=21600D pkt=18000 pmdt=-7200D
pmst=-10800 pont=39600 pst=-28800 pwt=32400 pyst=-10800D ret=14400 sadt=37800D sast=7200 sct=14400 taht=-36000
tft=18000 tjt=18000 tot=46800 trut=36000 tvt=43200 uct=0 ulast=32400D ut=0 utc=0 uyst=-7200D uyt=-10800 uzst=21600D
uzt=18000 vut=39600 wadt=28800D wakt=43200 wast=25200 wat=3600 wdt=32400D wet=0 wetdst=3600D wft=43200 wgst=-7200D
wgt=-10800 xjt=21600 yapt=36000 yekst=21600D z=0 zulu=0`

// movingAbbreviations have meant different offsets over time: they stand for a zone.
const movingAbbreviations = `
amst=Asia/Yerevan anast=Asia/Anadyr anat=Asia/Anadyr arst=America/Argentina/Buenos_Aires
art=America/Argentina/Buenos_Aires azst=Asia/Baku azt=Asia/Baku ckt=Pacific/Rarotonga clt=America/Santiago
davt=Antarctica/Davis easst=Pacific/Easter east=Pacific/Easter fkst=Atlantic/Stanley fkt=Atlantic/Stanley
gest=Asia/Tbilisi get=Asia/Tbilisi gyt=America/Guyana iot=Indian/Chagos irkst=Asia/Irkutsk irkt=Asia/Irkutsk
kgt=Asia/Bishkek kost=Pacific/Kosrae krast=Asia/Krasnoyarsk krat=Asia/Krasnoyarsk lhdt=Australia/Lord_Howe
lint=Pacific/Kiritimati lkt=Asia/Colombo magst=Asia/Magadan magt=Asia/Magadan mawt=Antarctica/Mawson msk=Europe/Moscow
novst=Asia/Novosibirsk novt=Asia/Novosibirsk nut=Pacific/Niue omsst=Asia/Omsk omst=Asia/Omsk petst=Asia/Kamchatka
pett=Asia/Kamchatka pyt=America/Asuncion sgt=Asia/Singapore tkt=Pacific/Fakaofo tmt=Asia/Ashgabat
ulat=Asia/Ulaanbaatar vet=America/Caracas vlast=Asia/Vladivostok vlat=Asia/Vladivostok volt=Europe/Volgograd
yakst=Asia/Yakutsk yakt=Asia/Yakutsk yekt=Asia/Yekaterinburg`
